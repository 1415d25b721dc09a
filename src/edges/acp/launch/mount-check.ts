import { readFile } from 'node:fs/promises'
import type { Mount } from './mounts.ts'
import { isWithin } from './paths.ts'

/**
 * Bubblewrap follows symlinks in sources and mount points. An agent may put one into its workspace after our check, and
 * so expose or overwrite a home. So the first program inside compares the mounts before the agent runs, and exits if one
 * is missing or shows something else. It uses shell builtins only: nothing else is sure to exist.
 */
const script =
  'm=; while read -r _ _ _ r p _; do m="$m $r $p "; done </proc/self/mountinfo; n=$1; shift; while [ "$n" -gt 0 ]; do ' +
  'case "$m" in *" $1 "*) ;; *) echo "The workspace was changed while its sandbox was set up: $1 is not there." >&2; exit 126 ;; esac; ' +
  'shift; n=$((n - 1)); done; exec "$@"'

/** Prefix for a command inside the sandbox. */
export async function mountCheck(guards: readonly Mount[]): Promise<string[]> {
  const bound = guards.flatMap((mount) => ('from' in mount ? [mount] : []))
  if (bound.length === 0) return []
  const mounted = mountedOn(await readFile('/proc/self/mountinfo', 'utf8'))
  // What covers a secret, and what an agent group has at a path of its own choice, come from elsewhere.
  const expected = bound.map(({ from, at }) => {
    const root = rootOf(mounted, from)
    return root === null ? escaped(at) : `${escaped(root)} ${escaped(at)}`
  })
  return ['/bin/sh', '-c', script, 'sh', String(expected.length), ...expected]
}

type Mounted = { readonly root: string; readonly at: string }

/** The mounts as this process sees them. */
const mountedOn = (table: string): Mounted[] =>
  table.split('\n').flatMap((line) => {
    const [, , , root, at] = line.split(' ')
    return root === undefined || at === undefined ? [] : [{ root: unescaped(root), at: unescaped(at) }]
  })

/** A path within its own file system, as mountinfo names it. */
export function rootOf(mounted: readonly Mounted[], path: string): string | null {
  // The last mount at a path covers the others.
  const deciding = mounted.filter(({ at }) => isWithin(at, path)).toSorted((a, b) => a.at.length - b.at.length)
  const last = deciding.at(-1)
  if (last === undefined) return null
  const rest = path.slice(last.at === '/' ? 0 : last.at.length)
  return `${last.root === '/' ? '' : last.root}${rest}` || '/'
}

const escaped = (path: string): string =>
  path.replaceAll(/[ \t\n\\]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)
const unescaped = (path: string): string =>
  path.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
