import { readFile } from 'node:fs/promises'
import type { Mount } from './mounts.ts'
import { isWithin } from './paths.ts'

/**
 * Bubblewrap follows links, in what it mounts and in where it mounts it. Below a workspace an agent may have put one
 * there since we looked, or puts one there in this very moment: a home would then be shown, or written to. So the first
 * program inside looks at what was mounted, before anything of the agent's runs, and gives up if a mount is missing or
 * shows something else. Only words of the shell itself: nothing else is sure to be there.
 */
const script =
  'm=; while read -r _ _ _ r p _; do m="$m $r $p "; done </proc/self/mountinfo; n=$1; shift; while [ "$n" -gt 0 ]; do ' +
  'case "$m" in *" $1 "*) ;; *) echo "The workspace was changed while its sandbox was set up: $1 is not there." >&2; exit 126 ;; esac; ' +
  'shift; n=$((n - 1)); done; exec "$@"'

/** The words to put before a command inside. */
export async function mountCheck(guards: readonly Mount[]): Promise<string[]> {
  const places = guards.flatMap((mount) => ('from' in mount ? [mount.at] : []))
  if (places.length === 0) return []
  const mounted = mountedOn(await readFile('/proc/self/mountinfo', 'utf8'))
  const expected = places.map((place) => {
    const from = rootOf(mounted, place)
    return from === null ? escaped(place) : `${escaped(from)} ${escaped(place)}`
  })
  return ['/bin/sh', '-c', script, 'sh', String(expected.length), ...expected]
}

type Mounted = { readonly root: string; readonly at: string }

/** What is mounted where, as this process sees it. */
const mountedOn = (table: string): Mounted[] =>
  table.split('\n').flatMap((line) => {
    const [, , , root, at] = line.split(' ')
    return root === undefined || at === undefined ? [] : [{ root: unescaped(root), at: unescaped(at) }]
  })

/** Where a path lies in its own file system: that is how the system names what a mount shows. */
export function rootOf(mounted: readonly Mounted[], path: string): string | null {
  // Of several at one place the last covers the others.
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
