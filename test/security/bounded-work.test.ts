import { describe, expect, it } from 'vitest'
import { cleanLine, exactLine } from '../../src/cli/clean-text.ts'
import { looksSecret, maskSecrets } from '../../src/domain/pattern/secret-text.ts'
import { normalisePrompt } from '../../src/domain/pattern/normalise.ts'
import { understood } from '../../src/domain/pattern/learnable.ts'
import { pathsInDiff } from '../../src/domain/policy/diff-paths.ts'
import { policySubjectOf } from '../../src/domain/policy/policy-subject.ts'
import { readPolicy } from '../../src/domain/policy/read-policy.ts'
import { matchesWildcard, wildcardsOverlap } from '../../src/domain/policy/wildcard.ts'
import { readWords } from '../../src/domain/policy/command-words.ts'
import { captureMasks, createCapture } from '../../src/edges/terminal/capture/capture.ts'
import { rendered } from '../../src/edges/terminal/recording/plain-lines.ts'
import { diffStat } from '../../src/lib/diff-stat.ts'
import { readDiff } from '../../src/lib/diff/read-diff.ts'
import { createGlobSet } from '../../src/lib/glob.ts'
import { maskSecretWords, maskSecretsInLine } from '../../src/lib/secret-words.ts'
import { shellLine, visibleText } from '../../src/lib/shell-words.ts'
import { readDiff as readShown } from '../../web/diff/read-diff.ts'
import { blocksOf, planOf } from '../../web/ui/markdown-blocks.ts'
import { safeText } from '../../web/ui/safe-text.ts'

/** Characters of every class, pairs of them, and near misses of what the readers look for. */
const units = [
  ...Array.from(' a0A/-_.:,;"\'([{<|=@#*>é\\$%&!?`~\n\t\r'),

  'a/',
  '/a',
  '~/',
  './',
  '../',
  'a ',
  ' a',
  '--a ',
  '-p ',
  'a=',
  'a: ',
  '[a',
  '](',
  '[](',
  '![',
  '**a',
  '_a ',
  '<a ',
  '&a',
  '| ',
  '\n|-',
  '> ',
  '1. ',
  '- ',
  '\n\n',
  '`a',
  '``',
  '\n    ',
  '://a:',
  'eyJ',
  'eyJa.',
  'token=',
  "token='",
  'bearer ',
  'mysql -',
  'curl -u ',
  'password: ',
  'sk-',
  'AKIA',

  'diff --git a/x b/x\n',
  '--- a/x\n+++ b/x\n',
  '@@ -1 +1 @@\n',
  '@@ -1,9 +1,9 @@\n ',
  'rename from x\n',
  '"\\303',
  '*/',
  '**/',
  '?',
  '\x1b[',
  '\x1b]0;',
  '\x1b[1;',
  'e\u0301',
  '\u200b',
  '{"a":',
  '"a",',
]

const glob = createGlobSet(['**/*.md', 'src/**/a*b*c*/*.ts', '**/{a,b,c}*/**', '[a-c]*[d-f]*[g-i]*', '*a*a*a*a*a*b'])
const masks = captureMasks()
const about = { workspaceRoot: '/w' }

/** Everything that reads text of agents, programs and files, with the longest text it accepts. */
const readers: Record<string, (text: string) => unknown> = {
  'masks of terminals': (text) => {
    const capture = createCapture({ masks })
    return capture.push(Buffer.from(text)) + capture.end()
  },
  'lines of a recording': rendered,
  'masks of commands': maskSecretsInLine,
  'masks of words': (text) => maskSecretWords(['mysql', text, '-p', text]),
  'masks of many words': (text) => maskSecretWords(text.match(/.{1,4}/gs) ?? []),
  'masks of notifications': (text) => maskSecrets(text.slice(0, 10_000)),
  'secrets in answers': (text) => looksSecret(text.slice(0, 8192)),
  'prompts as patterns': (text) => normalisePrompt(text.slice(0, 8192)),
  'prompts of agents': (text) => understood(text.slice(0, 2000)),
  'command lines shown': (text) => shellLine([text, text]) + visibleText(text),
  'command lines read': readWords,
  'text on the command line': (text) => cleanLine(text) + exactLine(text),
  'text on a page': safeText,
  'diffs of policies': pathsInDiff,
  'diffs applied': (text) => readDiff(text, true),
  'diffs applied, in a file': (text) => readDiff(`--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+${text}`, true),
  'diffs counted': (text) => diffStat(text, 'f'),
  'diffs shown': (text) => readShown(text, 'f'),
  'what a tool does': (text) =>
    policySubjectOf({ kind: 'tool', tool: text.slice(0, 10_000), input: { path: text, patch: text } }, about),
  'policy files': (text) => readPolicy(text.slice(0, 100_000)),
  'paths and patterns': (text) => glob.match(text.slice(0, 4096)),
  'patterns of commands': (text) => matchesWildcard('a*b*c', text.slice(0, 8192)),
  'patterns beside patterns': (text) => wildcardsOverlap(text.slice(0, 200), `*${text.slice(0, 200)}`),
  // The cost of Markdown itself is in web/ui/markdown-cost.test.ts.
  'Markdown, cut into blocks': (text) => planOf(blocksOf(text)),
}

/** CPU time of this process: wall time would include others on a busy machine. */
function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Over a wider span, the least of several runs: 4 if linear, 16 if quadratic. */
function confirmed(cost: (length: number) => number): boolean {
  const least = (length: number): number => Math.min(...Array.from({ length: 4 }, () => cost(length)))
  return least(80_000) / least(20_000) > 8
}

const pumped = (unit: string, length: number): string => unit.repeat(Math.ceil(length / unit.length))

describe('S8 one input takes bounded time', () => {
  it.each(Object.keys(readers))('%s', (name) => {
    const read = readers[name]
    if (!read) throw new Error(name)
    const slow: string[] = []
    for (const unit of units)
      for (const end of ['', '\u0001']) {
        const cost = (length: number): number => cpuMs(() => read(pumped(unit, length) + end))
        // Small times are fine, whatever their growth.
        if (cost(20_000) < 15) continue
        const [once, twice] = [Math.min(cost(20_000), cost(20_000)), Math.min(cost(40_000), cost(40_000))]
        // Quadratic would be four times as much; a single measurement may be far off.
        if (once > 1000 || (twice > 60 && twice / once > 3 && confirmed(cost)))
          slow.push(`${JSON.stringify(unit)}: ${once.toFixed(0)} → ${twice.toFixed(0)} ms`)
      }
    expect(slow).toEqual([])
  })
})
