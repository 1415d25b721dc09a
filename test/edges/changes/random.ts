import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Small, fast, and repeatable by seed. */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    chance: (share: number): boolean => next() < share,
    below: (end: number): number => Math.floor(next() * end),
    pick: <T>(items: readonly [T, ...T[]]): T => items[Math.floor(next() * items.length)] ?? items[0],
  }
}
export type Random = ReturnType<typeof createRandom>

const words = [
  'alpha',
  'beta',
  '',
  ' ',
  '\tx',
  'ünï',
  '}',
  '{',
  '-- a',
  '++ b',
  '@@ -1 +1 @@',
  '日本',
  '\\',
  'x',
] as const
const directories = ['', 'src/', 'a/', 'b/', 'deep/er/', 'dir ectory/', 'ünï/'] as const
const names = [
  'f',
  'x.ts',
  'with space',
  ' edge ',
  'tab\tbed',
  'quo"te',
  'back\\slash',
  'ä',
  '日本.txt',
  'b b/x',
  '-dash',
  'new\nline',
  '"',
] as const

const line = (random: Random): string => `${random.pick(words)}${random.chance(0.7) ? random.below(40) : ''}`

function content(random: Random): Buffer {
  const end = random.pick(['\n', '\n', '\r\n', 'mixed'])
  const lines = Array.from(
    { length: random.below(30) },
    () => line(random) + (end === 'mixed' ? random.pick(['\n', '\r\n']) : end),
  )
  const text = lines.join('') + (random.chance(0.25) ? 'last line without an end' : '')
  const bytes = Buffer.from((random.chance(0.1) ? '\uFEFF' : '') + text)
  return random.chance(0.1) ? Buffer.concat([Buffer.from([0xe9, 0xff, 0x0a]), bytes]) : bytes
}

/** Some lines of a file removed, added or changed; sometimes its last newline. */
function edited(random: Random, bytes: Buffer): Buffer {
  const lines = bytes.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? []
  const end = lines[0]?.endsWith('\r\n') ? '\r\n' : '\n'
  for (let edits = 1 + random.below(4); edits > 0; edits -= 1) {
    const at = random.below(lines.length + 1)
    const fresh = Array.from({ length: random.below(3) }, () => Buffer.from(line(random)).toString('latin1') + end)
    if (lines.slice(0, at).every((text) => text.endsWith('\n'))) lines.splice(at, random.below(3), ...fresh)
  }
  const text = lines.join('')
  return Buffer.from(random.chance(0.15) ? text.replace(/\r?\n$/, '') : text, 'latin1')
}

/** The files of a directory, and random changes to them. */
export function createFiles(root: string, random: Random) {
  const files = new Set<string>()
  const put = (path: string, bytes: Buffer, mode: number | null): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), bytes)
    if (mode !== null) chmodSync(join(root, path), mode)
    files.add(path)
  }
  const freshName = (): string | null => {
    const path = random.pick(directories) + random.pick(names)
    const clashes = [...files].some(
      (file) => file === path || file.startsWith(`${path}/`) || path.startsWith(`${file}/`),
    )
    return clashes ? null : path
  }
  const make = (): void => {
    const path = freshName()
    if (path !== null) put(path, content(random), random.pick([0o644, 0o755, null]))
  }
  const work = (): void => {
    const path = [...files][random.below(Math.max(1, files.size))]
    const kind = random.below(10)
    if (path === undefined || kind === 0) return make()
    const whole = join(root, path)
    if (kind === 1 && files.size > 2) {
      rmSync(whole)
      files.delete(path)
    } else if (kind === 2 || kind === 3) {
      const to = freshName()
      if (to === null) return
      mkdirSync(dirname(join(root, to)), { recursive: true })
      renameSync(whole, join(root, to))
      files.delete(path)
      files.add(to)
      if (kind === 3) writeFileSync(join(root, to), edited(random, readFileSync(join(root, to))))
    } else if (kind === 4) {
      const to = freshName()
      if (to !== null) put(to, random.chance(0.5) ? readFileSync(whole) : edited(random, readFileSync(whole)), null)
    } else if (kind === 5) {
      chmodSync(whole, random.pick([0o644, 0o755]))
    } else {
      writeFileSync(whole, edited(random, readFileSync(whole)))
    }
  }
  return { files, make, work }
}
