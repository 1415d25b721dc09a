import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { composed, literals, literalsIn, pumpsFor, type Found } from './regex-sweep.ts'

/** Time limit for a text: a fraction of comparing each of 20,000 characters with all that follow, on this machine. */
const long = 20_000
const bar = cpuMs(() => /a+b/.test('a'.repeat(long))) / 4
/** The length of a very wide screen line: quadratic time is fine there, cubic is not. */
const wide = 1000
const onScreens = /^src\/(?:domain\/terminal\/detect|edges\/terminal\/worker\/watch)\//
/** Longer than this counts as endless. */
const hopelessMs = 10_000

/** CPU time of this process: wall time would include others on a busy machine. */
function cpuMs(work: () => unknown): number {
  const once = (): number => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  return Math.min(once(), once())
}

/** In a separate context, so that an endless one can be stopped. */
const attack = `(() => {
  const look = new RegExp(source, flags.replace('g', ''))
  const test = (text) => {
    look.lastIndex = 0
    look.test(text)
  }
  for (const prefix of prefixes)
    for (const pump of pumps)
      for (const end of ['', '\\u0001']) {
        const text = (size) => prefix + pump.repeat(Math.ceil(size / pump.length)) + end
        tried.text = JSON.stringify([prefix, pump, end])
        test(text(40))
        const started = now()
        test(text(size / 4))
        // Small times are fine, whatever their growth.
        if (now() - started < 0.5) continue
        const whole = text(size)
        if (cpuMs(() => test(whole)) > bar) return tried.text
      }
  return null
})()`

function slowWith(found: Found, timeout = hopelessMs): string | null {
  const tried = { text: '' }
  const size = onScreens.test(found.file) ? wide : long
  const given = { ...found, ...pumpsFor(found), size, bar, cpuMs, tried, now: () => performance.now() }
  try {
    return runInNewContext(attack, given, { timeout }) as string | null
  } catch {
    // On a busy machine a slow one may need more time, so try again with more.
    if (timeout === hopelessMs) return slowWith(found, 6 * hopelessMs)
    return `${tried.text} for ever`
  }
}

/** Slow for long texts, but used only for short ones, or for text of the person who waits. */
const bounded: Record<string, string> = {
  '/\\S*\\s*$/': 'src/cli/keyboard.ts: a line that its owner types',
  '/\\s*\\S+\\s*$|\\s*\\S+/g': 'src/practice/turn.ts: what the practice agent says by itself',
  '/\\d+$/': 'src/app/catch-up/skip-ahead.ts: a cursor, checked before',
  '/(?<=.)\\/+$/': 'src/edges/http/handlers/policy.ts: a path of at most 4,096 characters',
  '/(?<![\\w./@-])[\\w@+-][\\w.@+-]*(?:\\/[\\w.@+-]+)*\\/[\\w@+-]*(?:\\.\\w{1,8})+(?![\\w/])/g':
    'src/domain/pattern/normalise.ts: a prompt of at most 8,192 characters',
  '/[.,:;!?]*$/': 'src/domain/pattern/normalise.ts: a prompt of at most 8,192 characters',
}

describe('S8 regular expressions take time in proportion to the text', () => {
  it('literals are distinguished from divisions, strings and comments', () => {
    const text =
      "const a = b / c / d // /no/\nconst e = /x\\/[/]y/gi.test('/no/') ? `${f(/in/u)}/no/` : 4 / 2 /* /no/ */"
    expect(literalsIn(text)).toEqual([
      { source: 'x\\/[/]y', flags: 'gi' },
      { source: 'in', flags: 'u' },
    ])
  })

  it('a bad one is found', () => {
    for (const source of ['^(a+)+$', '(a|a)*b', '\\s+$', 'x.*y.*z', '(.+) (?:b/)?\\1', '<[^>]*>[^<]*</'])
      expect(slowWith({ file: '', source, flags: '' }, 1000), source).not.toBeNull()
    for (const source of ['^a+b', '"[^"]{0,80}"', '\\bfoo\\b'])
      expect(slowWith({ file: '', source, flags: '' })).toBeNull()
  })

  // Twenty seconds of processor time, which take minutes on a busy machine.
  it('all regular expressions of the product', { timeout: 300_000 }, () => {
    const all = [...literals(), ...composed()]
    const once = [...new Map(all.map((found) => [`/${found.source}/${found.flags}`, found])).entries()]
    expect(once.length).toBeGreaterThan(500)
    const slow = once.flatMap(([look, found]) => {
      const how = slowWith(found)
      return how === null || look in bounded ? [] : [`${found.file}: ${look} with ${how}`]
    })
    expect(slow).toEqual([])
    // Exceptions that no longer exist must go.
    const known = new Set(once.map(([look]) => look))
    expect(Object.keys(bounded).filter((look) => !known.has(look))).toEqual([])
  })
})
