import type { NamedMcpServer } from '../../../app/agent-group/settings.ts'
import type { AgentOfGroup } from './group-agent.ts'

export type IsolationChoice = 'auto' | 'none' | 'sandbox' | 'container'

/** The network of a sandboxed agent; `auto` is `own` if the system supports it, else `host`. */
export type Network = 'auto' | 'own' | 'none' | 'host'

/** Workarounds for particular agents. */
export type Quirks = {
  /** It can't tell a missing file from an error, so a missing file is read as empty. */
  readonly missingFileIsEmpty: boolean
  /** It can load a session only after the minute in which it was created. */
  readonly loadAfterMinute: boolean
}

/** An agent's definition before it is started. Plain data. */
export type AgentDefinition = {
  readonly name: string
  readonly title: string
  readonly command: string
  readonly args: readonly string[]
  /** How to install it, in a sentence. */
  readonly install: string
  /** The command that installs it, if there is one. */
  readonly installCommand: string | null
  /** Arguments with which its program signs in, in a terminal; null if there are none. */
  readonly login: readonly string[] | null
  /** Set for the agent; overrides the server's environment. */
  readonly env: Readonly<Record<string, string>>
  /** Set for the agent unless set elsewhere. */
  readonly defaultEnv: Readonly<Record<string, string>>
  /** Variables that hold JSON; these fields are added unless the operator's value has them. */
  readonly jsonEnv: Readonly<Record<string, JsonTable>>
  /** Passwords of servers it opens, generated for each start unless set elsewhere. */
  readonly passwords: readonly string[]
  /** Variables passed on from the server's environment; a trailing `*` matches any suffix. */
  readonly passEnv: readonly string[]
  /** Writable in the sandbox, created if missing: `~/…`, `/…`, `${VARIABLE:-default}/…`. */
  readonly openPaths: readonly string[]
  /** Readable in the sandbox, if they exist. */
  readonly readPaths: readonly string[]
  readonly isolation: IsolationChoice
  readonly network: Network
  /** Ports of this machine that are reachable from the agent's own network. */
  readonly localPorts: readonly number[]
  readonly authMethod: string | null
  readonly dialect: 'acp' | 'intercom'
  readonly clientFs: boolean
  readonly clientTerminal: boolean
  readonly budgetUsd: number | null
  readonly mcpServers: readonly NamedMcpServer[]
  readonly quirks: Quirks
  /** Variables that choose the model and how much it thinks, if the agent has them. */
  readonly modelEnv: string | null
  readonly effortEnv: string | null
  /** A variable of `jsonEnv` whose field `model` chooses it. */
  readonly modelJsonEnv: string | null
  /** What one session chose; applied through the protocol too, if the agent offers it. */
  readonly choices?: { readonly model: string | null; readonly effort: string | null }
  /** Set for one session: the agent group it runs for. */
  readonly group?: AgentOfGroup
}

export type JsonTable = { readonly [name: string]: string | number | boolean | JsonTable }

/** The operator's settings for one agent; null means the preset's value. */
export type AgentSettings = {
  readonly preset: string | null
  readonly command: string | null
  readonly args: readonly string[] | null
  readonly env: Readonly<Record<string, string>>
  readonly passEnv: readonly string[]
  readonly isolation: IsolationChoice | null
  readonly network: Network | null
  readonly localPorts: readonly number[]
  readonly openPaths: readonly string[]
  readonly readPaths: readonly string[]
  readonly authMethod: string | null
  readonly installCommand: string | null
  readonly login: readonly string[] | null
  readonly dialect: 'acp' | 'intercom' | null
  readonly clientFs: boolean | null
  readonly clientTerminal: boolean | null
  readonly budgetUsd: number | null
  readonly mcpServers: readonly NamedMcpServer[]
}

/** The part of the configuration for agents. */
export type AgentsConfig = {
  readonly defaultAgent: string | null
  readonly hostCli: string | null
  readonly hostCliArgs: readonly string[]
  readonly agents: Readonly<Record<string, AgentSettings>>
  readonly acp: {
    readonly isolation: IsolationChoice
    readonly network: Network
    readonly localPorts: readonly number[]
    readonly budgetUsd: number | null
  }
}
