/** Location of a file. */
export type LocatedPath = {
  /** Relative to the workspace, if inside it. */
  readonly shown: string
  readonly inside: boolean
  /** It controls what the agent may do: Claude Code settings, a policy, Git hooks. */
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

/** Makes a tool's path absolute. */
export const absolutePath = (name: string, cwd: string): string => plainly(isAbsolute(name) ? name : `${cwd}/${name}`)

const isAbsolute = (path: string): boolean => /^(\/|[A-Za-z]:[\\/])/.test(path)

/** Normalized path: slashes, no `.` and `..`. */
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
