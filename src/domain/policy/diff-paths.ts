/** The files that a unified diff names, as written and without `a/` and `b/`; null if that is ambiguous. */
export function pathsInDiff(diff: string): { raw: string; short: string }[] | null {
  const found: { raw: string; short: string }[] = []
  let [old, fresh] = [0, 0]
  for (const line of diff.split(/\r?\n/)) {
    if (old > 0 || fresh > 0) {
      const mark = line[0] ?? ' '
      // Only these occur in a hunk; a file header hidden by wrong line counts is found here.
      if (!' +-\\'.includes(mark)) return null
      if (mark === ' ' || mark === '-') old -= 1
      if (mark === ' ' || mark === '+') fresh -= 1
      continue
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line)
    if (hunk) {
      old = Number(hunk[1] ?? 1)
      fresh = Number(hunk[2] ?? 1)
      continue
    }
    const names = line.startsWith('diff --git ') ? namesOfGit(line.slice('diff --git '.length)) : namesOf(line)
    if (names === null) return null
    for (const name of names) {
      const raw = plainName(name)
      if (raw === null) return null
      if (raw !== '/dev/null') found.push({ raw, short: raw.replace(/^[ab]\//, '') })
    }
  }
  return found
}

const header =
  /^(?:--- |\+\+\+ |Index: |(?:rename|copy) (?:from|to) |\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: )(.+)$/

const namesOf = (line: string): string[] => header.exec(line)?.slice(1) ?? []

/** `a/x b/x`: names with spaces are ambiguous unless both are the same. */
function namesOfGit(text: string): string[] | null {
  if (text.length > 10_000) return null
  const quoted = /^("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")$/.exec(text)
  if (quoted) return quoted.slice(1)
  const same = /^a\/(.+) b\/\1$/.exec(text) ?? /^(.+) \1$/.exec(text)
  if (same) return same.slice(1)
  const parts = text.split(' ')
  return parts.length === 2 && !text.includes('"') ? parts : null
}

/** Names may be quoted as in C, or followed by a tab and a timestamp. */
function plainName(name: string): string | null {
  if (!name.startsWith('"')) return name.replace(/\t.*$/, '').trimEnd()
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(name)?.[1]
  if (quoted === undefined) return null
  const bytes: number[] = []
  for (const [part] of quoted.matchAll(/\\[0-7]{3}|\\.|[^\\]+/gs)) {
    if (/^\\[0-7]{3}$/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8))
    else if (part === '\\\\' || part === '\\"') bytes.push(part.charCodeAt(1))
    else if (part.startsWith('\\')) return null
    else bytes.push(...new TextEncoder().encode(part))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}
