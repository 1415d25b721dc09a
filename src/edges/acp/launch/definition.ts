export type Isolation = 'auto' | 'none' | 'sandbox'

/** Of an agent in a sandbox; `auto` is `own` if the system can give it, else `host`. */
export type Network = 'auto' | 'own' | 'none' | 'host'

/** An MCP server of the operator's that goes along in session/new. */
export type McpServerConfig =
  | { readonly name: string; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

/** What must be done differently because an agent is as it is. */
export type Quirks = {
  /** It can't tell a missing file from a failure: a file that is not there is read as empty. */
  readonly missingFileIsEmpty: boolean
  /** It loads a session only from the minute after the one in which it was made. */
  readonly loadAfterMinute: boolean
}

/** All that is known of an agent before it is started. Plain data. */
export type AgentDefinition = {
  readonly name: string
  readonly title: string
  readonly command: string
  readonly args: readonly string[]
  /** How to get it, in a sentence. */
  readonly install: string
  /** Set for the agent, whatever the server's own environment has. */
  readonly env: Readonly<Record<string, string>>
  /** Set for the agent where nobody else has set it. */
  readonly defaultEnv: Readonly<Record<string, string>>
  /** Variables that hold JSON: this is filled in where the operator's own value says nothing about it. */
  readonly jsonEnv: Readonly<Record<string, JsonTable>>
  /** Passwords of servers it opens, made anew for each start unless somebody else has set them. */
  readonly passwords: readonly string[]
  /** Names of variables that are handed on from the server's environment; a `*` at the end stands for the rest. */
  readonly passEnv: readonly string[]
  /** Opened in the sandbox for writing, made where missing: `~/…`, `/…`, `${VARIABLE:-default}/…`. */
  readonly openPaths: readonly string[]
  /** Opened in the sandbox for reading, where they are there. */
  readonly readPaths: readonly string[]
  readonly isolation: Isolation
  readonly network: Network
  /** Ports of this machine that are let in to a network of its own. */
  readonly localPorts: readonly number[]
  readonly authMethod: string | null
  readonly dialect: 'acp' | 'intercom'
  readonly clientFs: boolean
  readonly clientTerminal: boolean
  readonly budgetUsd: number | null
  readonly mcpServers: readonly McpServerConfig[]
  readonly quirks: Quirks
}

export type JsonTable = { readonly [name: string]: string | number | boolean | JsonTable }

/** What the operator says about one agent; null is "as the preset has it". */
export type AgentSettings = {
  readonly preset: string | null
  readonly command: string | null
  readonly args: readonly string[] | null
  readonly env: Readonly<Record<string, string>>
  readonly passEnv: readonly string[]
  readonly isolation: Isolation | null
  readonly network: Network | null
  readonly localPorts: readonly number[]
  readonly openPaths: readonly string[]
  readonly readPaths: readonly string[]
  readonly authMethod: string | null
  readonly dialect: 'acp' | 'intercom' | null
  readonly clientFs: boolean | null
  readonly clientTerminal: boolean | null
  readonly budgetUsd: number | null
  readonly mcpServers: readonly McpServerConfig[]
}

/** The part of the configuration that is about agents. */
export type AgentsConfig = {
  readonly defaultAgent: string | null
  readonly hostCli: string | null
  readonly hostCliArgs: readonly string[]
  readonly agents: Readonly<Record<string, AgentSettings>>
  readonly acp: {
    readonly isolation: Isolation
    readonly network: Network
    readonly localPorts: readonly number[]
    readonly budgetUsd: number | null
  }
}
