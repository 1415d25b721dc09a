/** Where a file lies. */
export type LocatedPath = {
  /** From the root of the workspace, where it lies inside. */
  readonly shown: string
  readonly inside: boolean
  /** It says what the agent may do: settings of Claude Code, a policy, a repository's own hooks. */
  readonly guards: boolean
}

export function locate(real: string, workspaceRoot: string): LocatedPath {
  const [path, root] = [plainly(real), plainly(workspaceRoot)]
  const inside = path.startsWith(root === '/' ? '/' : `${root}/`)
  const shown = inside ? path.slice(root === '/' ? 1 : root.length + 1) : path
  const guards = shown.split('/').some((part) => guarding.includes(part.toLowerCase()))
  return { shown, inside, guards }
}

const guarding = ['.claude', '.signalbox', '.monocoque', '.git', '.mcp.json']

/** A path as a tool names it, as one from the root. */
export const absolutePath = (name: string, cwd: string): string => plainly(isAbsolute(name) ? name : `${cwd}/${name}`)

const isAbsolute = (path: string): boolean => /^(\/|[A-Za-z]:[\\/])/.test(path)

/** One way to write a path: slashes, and no `.` and `..` in it. */
function plainly(path: string): string {
  const drive = /^[A-Za-z]:/.exec(path)?.[0] ?? ''
  const parts: string[] = []
  const words = drive === '' ? path : path.slice(drive.length).replaceAll('\\', '/')
  for (const part of words.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `${drive}/${parts.join('/')}`
}
