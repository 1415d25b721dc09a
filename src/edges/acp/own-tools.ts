/** Our own MCP server, as agents see it. */
export type OwnTools = {
  /** Its URL, once the server listens; null if agents do not get it. */
  endpoint(): Promise<{ url: string } | null>
  /** The same as a stdio program, for agents that do not support HTTP servers. */
  bridge: { readonly command: string; readonly args: readonly string[] }
  /** Call before `knows` and `accepts`: tools are loaded lazily. */
  load(): Promise<void>
  knows(tool: string): boolean
  /** Whether the tool accepts this input. */
  accepts(tool: string, input: unknown): boolean
}

/** Kept in the agent's notes: the server's name there, and the tokens issued for it. */
export type OwnNotes = { readonly server: string; readonly tokens: readonly string[] }
