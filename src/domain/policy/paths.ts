import { isVisible } from './command-words.ts'

/** A path relative to the workspace, or null for one that is not plainly a file inside. */
export function insidePath(path: string, workspaceRoot: string): string | null {
  if (path.length > 1024 || path.includes('\\') || !isVisible(path)) return null
  const root = workspaceRoot.replace(/(?<!\/)\/+$/, '')
  if (path.startsWith('/') && !path.startsWith(`${root}/`)) return null
  const relative = path.startsWith('/') ? path.slice(root.length + 1) : path
  if (relative === '' || relative.endsWith('/') || /^(~|[A-Za-z]:)/.test(relative)) return null
  const names = relative.split('/').filter((name) => name !== '.')
  // What `..` leads to depends on links, which a policy does not see.
  const isOdd = (name: string) => name === '' || name === '..' || name !== name.trim() || name.length > 255
  return names.length === 0 || names.some(isOdd) ? null : names.join('/')
}
