import picomatch from 'picomatch'

/** Matches many patterns against one path: exact ones by lookup, the others filtered before a regex runs. */
export type GlobSet = {
  /** The first pattern that the path matches, or null. */
  match(path: string): string | null
  readonly faults: readonly { pattern: string; why: string }[]
}

type GlobEntry = {
  readonly order: number
  readonly pattern: string
  /** A substring of every matching path. */
  readonly part: string
  test(path: string): boolean
}

const special = /[*?[\]{}()!\\]/
// Extended globs nest repeated groups: with a crafted path such a regex runs for hours.
const options = { dot: false, nonegate: true, noextglob: true, strictBrackets: true, windows: false, nocase: false }

/** Paths are relative, with `/`; only a pattern with the dot matches a name that begins with a dot. */
export function createGlobSet(patterns: readonly string[]): GlobSet {
  const exact = new Map<string, { order: number; pattern: string }>()
  const entries: GlobEntry[] = []
  const faults: { pattern: string; why: string }[] = []
  for (const [order, pattern] of patterns.entries()) {
    const cleaned = cleanPattern(pattern)
    const entry = 'why' in cleaned ? cleaned.why : compile(order, pattern, cleaned.glob)
    if (typeof entry === 'string') faults.push({ pattern, why: entry })
    else if (entry.part === pattern && !special.test(pattern)) setOnce(exact, pattern, entry)
    else entries.push(entry)
  }
  const candidates = indexByPart(entries)
  return {
    faults,
    match(path) {
      let found = exact.get(path)
      for (const entry of candidates(path))
        if ((!found || entry.order < found.order) && path.includes(entry.part) && entry.test(path)) found = entry
      return found?.pattern ?? null
    },
  }
}

const size = 3
const pieces = (text: string): Set<string> =>
  new Set(Array.from({ length: Math.max(0, text.length - size + 1) }, (_, at) => text.slice(at, at + size)))

/** Indexes entries by the rarest three letters their path must contain; entries without any are tested each time. */
function indexByPart(entries: readonly GlobEntry[]): (path: string) => Iterable<GlobEntry> {
  const often = new Map<string, number>()
  for (const { part } of entries) for (const piece of pieces(part)) often.set(piece, (often.get(piece) ?? 0) + 1)
  const byPiece = new Map<string, GlobEntry[]>()
  const free: GlobEntry[] = []
  for (const entry of entries) {
    let [rarest, least] = ['', Number.POSITIVE_INFINITY]
    for (const piece of pieces(entry.part)) {
      const count = often.get(piece) ?? 0
      if (count < least) [rarest, least] = [piece, count]
    }
    const bucket = rarest === '' ? free : (byPiece.get(rarest) ?? [])
    if (rarest !== '') byPiece.set(rarest, bucket)
    bucket.push(entry)
  }
  return function* (path) {
    yield* free
    for (const piece of pieces(path)) yield* byPiece.get(piece) ?? []
  }
}

function cleanPattern(pattern: string): { glob: string } | { why: string } {
  if (pattern.startsWith('!')) return { why: "a pattern only allows something; it can't exclude anything" }
  if (pattern.includes('\\')) return { why: 'write / between names; \\ has no special meaning' }
  const glob = pattern.replace(/^(?:\.?\/)+/, '').replace(/\/$/, '/**')
  if (glob === '' || glob === '.') return { why: 'it names no file' }
  if (glob.split('/').includes('..')) return { why: 'it points outside the workspace' }
  if (/^(?:~|[A-Za-z]:)/.test(glob)) return { why: 'patterns are relative to the workspace' }
  return isTame(glob) ? { glob } : { why: 'it has too many wildcards: at most two **, and three * in a name' }
}

/** Each further wildcard multiplies the time that a crafted path can cost. */
const isTame = (glob: string): boolean =>
  (glob.replace(/\/\*\*$/, '').match(/\*\*/g) ?? []).length <= 2 &&
  glob.split('/').every((name) => name === '**' || (name.match(/\*+/g) ?? []).length <= 3)

function compile(order: number, pattern: string, glob: string): GlobEntry | string {
  if (!special.test(glob)) return { order, pattern, part: glob, test: (path) => path === glob }
  const hasGroups = /[{}[\]()]/.test(glob)
  // `**/a` matches `a` as well, so slashes at the ends are not part of the required text.
  const parts = hasGroups ? [] : glob.split(/[*?]+/).map((part) => part.replaceAll(/^\/|\/$/g, ''))
  const part = parts.toSorted((a, b) => b.length - a.length)[0] ?? ''
  // picomatch lets `a/**` match `a` too, but the pattern means only what is inside the folder.
  const inside = glob.replaceAll(/\/\*\*(?=$|[,}])/g, '/**/*')
  let regex: RegExp | undefined
  try {
    // Only groups can be malformed; other patterns are compiled on first use.
    if (hasGroups) regex = picomatch.makeRe(inside, options)
  } catch (error) {
    return error instanceof Error ? `it can't be read: ${error.message}` : "it can't be read"
  }
  return { order, pattern, part, test: (path) => (regex ??= picomatch.makeRe(inside, options)).test(path) }
}

function setOnce<K, V>(map: Map<K, V>, key: K, value: V): void {
  if (!map.has(key)) map.set(key, value)
}
