import type { ContainerConfigFields } from '../../domain/agent-group/container-config.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import type { Result } from '../../lib/result.ts'

/** What the effects of administrative asks need from edges. */
export type AdministrationPorts = {
  /**
   * Builds the image of a group with these settings, and reports each line of its log. Null if the group needs none,
   * because it does not run in containers. Building the same settings again costs nothing.
   */
  buildImage(
    id: AgentGroupId,
    settings: ContainerConfigFields,
    onLog: (line: string) => void,
  ): Promise<Result<{ image: string } | null>>
  /** Restarts the agent in a new container, which alone reads the message. False if it does not run in one. */
  restartAgent(id: SessionId, onWake: { key: string; text: string }): Promise<boolean>
  /** Encrypts credentials for the database. `owner` is authenticated too. */
  vault(): Promise<Result<Vault>>
}

export type Vault = {
  seal(value: string, owner: string): string
  open(sealed: string, owner: string): Result<string>
}
