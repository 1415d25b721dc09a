/** What a session's title can be taken from. */
export type TitleSources = {
  /** What people call it. */
  readonly name?: string | null
  /** The agent's own title for it. */
  readonly agentTitle: string | null
  readonly prompt: string | null
  readonly terminal: { readonly name: string | null; readonly command: readonly string[] | null } | null
  readonly workspaceRoot: string
}

const longest = 120

/** Its name, else the agent's title, else the first line of the prompt, else the program in its terminal, else the folder. */
export function titleOf({ name, agentTitle, prompt, terminal, workspaceRoot }: TitleSources): string {
  const words = [name, agentTitle, prompt, terminal?.name, terminal?.command?.join(' ')]
  for (const text of words) {
    const line = firstLine(text ?? '')
    if (line !== '') return line
  }
  return workspaceRoot.split(/[\\/]/).findLast((part) => part !== '') ?? workspaceRoot
}

function firstLine(text: string): string {
  const line = /\S[^\r\n]*/.exec(text)?.[0].trimEnd() ?? ''
  if (line.length <= longest) return line
  // Does not split a surrogate pair.
  const cut = line.slice(0, longest - 1)
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
