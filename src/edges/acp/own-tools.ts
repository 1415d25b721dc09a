/** Our own MCP server, as agents get it. */
export type OwnTools = {
  /** Where it is, once the server has opened its door; null where agents do without. */
  endpoint(): Promise<{ url: string } | null>
  /** The same as a program, for agents that know servers of no other kind. */
  bridge: { readonly command: string; readonly args: readonly string[] }
  /** Before it is asked about its tools: what they need may be loaded only now. */
  load(): Promise<void>
  knows(tool: string): boolean
  /** Whether the tool would take exactly this. */
  accepts(tool: string, input: unknown): boolean
}

/** What is known of it in the notes of an agent: its name there, and the tokens it was given. */
export type OwnNotes = { readonly server: string; readonly tokens: readonly string[] }
