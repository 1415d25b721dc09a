import type { NewAsk } from '../domain/ask/schema.ts'
import { loadSession } from '../domain/session/store.ts'
import type { Database } from '../db/open.ts'
import type { Command } from './command.ts'
import { shareLookups } from '../lib/share-lookups.ts'
import type { WorkspaceMarks } from './workspace-marks.ts'

/** What a policy is asked before a command runs. */
export type PolicyOf = {
  /** The name of the rule that answers an ask of a session in this workspace, or null. */
  rule(ask: NewAsk, workspaceRoot: string, tool: string | undefined): Promise<string | null>
  /** Reads the policy of a workspace before an agent starts to work there. */
  observe(workspaceRoot: string): Promise<void>
}

export const noPolicy: PolicyOf = { rule: async () => null, observe: async () => {} }

/** What the policy says about a command. Read before the transaction begins: a policy is a file, and files may be slow. */
export type Rulings = {
  before(command: Command): Promise<string | null>
  /** The same for a command that an edge only checks, because it has to start a process first. */
  checking(command: Command): Promise<void>
}

export function createRulings({ read }: Database, policy: PolicyOf, roots: WorkspaceMarks | undefined): Rulings {
  const holds = roots && shareLookups(roots.holds)
  return {
    async before(command) {
      // For a hosted agent this ran before its process started: by now the agent may have changed the policy itself.
      if (command.type === 'session.start' && command.hostedBy === undefined)
        await policy.observe(command.session.workspaceRoot)
      if (command.type !== 'ask.open' || command.automatic || command.ask.sessionId === null) return null
      const session = await loadSession(read, command.ask.sessionId)
      if (!session) return null
      // A replaced directory has another policy, which nobody agreed to.
      if (holds && !(await holds(session.workspaceRoot, session.workspaceMark))) return null
      return policy.rule(command.ask, session.workspaceRoot, command.tool)
    },
    async checking(command) {
      if (command.type === 'session.start' && command.hostedBy !== undefined)
        await policy.observe(command.session.workspaceRoot)
    },
  }
}
