/** Programs with agents that connect over MCP. */
export const clientNames = ['claude', 'cursor', 'vscode', 'gemini', 'codex', 'opencode'] as const
export type ClientName = (typeof clientNames)[number]
