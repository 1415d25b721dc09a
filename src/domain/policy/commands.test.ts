import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePolicy } from './compile.ts'
import { judge } from './judge.ts'
import { readPolicy } from './read-policy.ts'
import type { Rule } from './schema.ts'
import { isSame, lineOf, readWords } from './command-words.ts'

const compiled = (commands: readonly string[], registry: readonly string[], confirmed: readonly Rule[] = []) =>
  compilePolicy(readPolicy(JSON.stringify({ enabled: true, commands })).file, registry, confirmed)
const ask = (
  command: string,
  commands: readonly string[],
  registry: readonly string[],
  confirmed: readonly Rule[] = [],
) => judge(compiled(commands, registry, confirmed).policy, { kind: 'command', command }, 'low')

describe('a command', () => {
  it('needs both: an entry that matches, and a registered command', () => {
    expect(ask('npm test', ['npm *'], ['npm test'])).toBe('command:npm *')
    expect(ask('npm test', ['npm *'], ['npm run build'])).toBeNull()
    expect(ask('npm test', ['yarn *'], ['npm test'])).toBeNull()
    expect(ask('npm test', [], ['npm test'])).toBeNull()
    expect(ask('npm test', ['npm test'], [])).toBeNull()
  })

  it.each([
    ['npm test', 'npm test', true],
    ['npm t*', 'npm test', true],
    ['npm te?t', 'npm test', true],
    ['n* test', 'npm test', true],
    ['*', 'npm test', true],
    ['* test', 'npm test', true],
    ['npm test *', 'npm test', true],
    ['npm *', 'npm run test', true],
    ['npm', 'npm test', false],
    ['npm test', 'npm test a', false],
    ['npm*', 'npm test', false],
    ['npm *t', 'npm run test', false],
    ['npm * test', 'npm run test', true],
    ['npm * test', 'npm test', false],
    ["npm 't*'", 'npm test', false],
    ["grep 'a b'", 'grep "a b"', true],
    ['**', 'npm test', false],
  ])('with the entry %s: %s → %s', (entry, command, expected) => {
    expect(ask(command, [entry], [command]) !== null).toBe(expected)
  })

  it('is named after the entry that allowed it', () => {
    expect(ask('git log a', ['git status', 'git l* *'], ['git log *'])).toBe('command:git l* *')
  })
})

describe('an entry that matches no registered command', () => {
  it.each([
    ['git push', ['git status']],
    ['git status --short', ['git status']],
    ['git', ['git status']],
    ['git log --output=x', ['git log *']],
    ['git log -p', ['git log *']],
    ['npm run build*', ['npm run test:*']],
    ['npm test; id', ['npm test']],
    ['npm test > x', ['npm test']],
    ["npm 'test", ['npm test']],
    ['sudo id', ['sudo *']],
    ['npm test', ['npm test | tee x']],
    ['*', []],
  ])('is ignored, and reported: %s', (entry, registry) => {
    expect(compiled([entry], registry).ignored).toEqual([{ entry, why: expect.any(String) }])
  })

  it.each([
    ['git *', ['git status']],
    ['git log a*', ['git log *']],
    ['npm run *:unit', ['npm run test:*']],
    ['*', ['git status']],
    ['sudo id', ['sudo id']],
    ['git log', ['git log *']],
  ])('is not mistaken for one: %s', (entry, registry) => {
    expect(compiled([entry], registry).ignored).toEqual([])
  })
})

describe('a confirmed command', () => {
  const confirmed: Rule[] = [{ kind: 'command', pattern: 'npm run lint' }]
  it('applies to its exact words, without an entry or a registered command', () => {
    expect(ask('npm run lint', [], [], confirmed)).toBe('command:npm run lint')
    expect(ask('npm  run "lint"', [], [], confirmed)).toBe('command:npm run lint')
    for (const other of ['npm run', 'npm run lint a', 'npm run lint; id', 'npm run lint --fix'])
      expect(ask(other, [], [], confirmed)).toBeNull()
  })
  it('is never a launcher, a glob or more than one command', () => {
    for (const pattern of ['sudo id', 'rm *', 'a; b', 'sh x', 'echo $X', 'X=1 a']) {
      expect(compiled([], [], [{ kind: 'command', pattern }]).ignored).toHaveLength(1)
      expect(ask(pattern, [], [], [{ kind: 'command', pattern }])).toBeNull()
    }
  })
})

describe('whatever is answered', () => {
  const words = 'git status log --oneline npm test run test: test:a make cat docs/ ls *.ts X=1 sudo env a б'.split(' ')
  const signs = [...Array.from(';|&$`()><"\'\\#~!{}=-./*?\n\t\u200b\u00a0'), '--', '..', 'sh -c', ' ', ' ', ' ', '  ']
  const piece = fc.constantFrom(...words, ...signs)
  const registry = [
    'git status',
    'git log --oneline *',
    'npm test',
    'npm run test:*',
    'make *',
    'cat docs/*',
    'ls *.ts',
    'sudo *',
  ]
  const { policy } = compiled(['*'], registry)
  const ruleFor = (command: string) => judge(policy, { kind: 'command', command }, 'low')
  const fixed = registry.map((text) => readWords(text)).filter((words) => words !== null)

  it('consists of the words of a registered command, and names after them', () => {
    const line = fc.oneof(
      fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.tuple(fc.constantFrom(...registry), fc.array(piece, { maxLength: 5 })).map(([a, b]) => a + b.join('')),
    )
    fc.assert(
      fc.property(line, (command) => {
        if (ruleFor(command) === null) return
        expect(command).not.toMatch(/[\n\r\0\t;|&`<>()]/)
        const words = readWords(command) ?? []
        const again = readWords(lineOf(words.map(({ text }) => text))) ?? []
        expect(again.map(({ text }) => text)).toEqual(words.map(({ text }) => text))
        const known = fixed.some((entry) => {
          const last = entry.at(-1)?.text ?? ''
          if (isSame(entry, words)) return true
          if (!last.endsWith('*') || last === '*.ts') return false
          const begin = entry.slice(0, -1)
          const rest = words.slice(begin.length)
          return (
            isSame(begin, words.slice(0, begin.length)) &&
            rest.every(({ text }) => /^[\w.][\w./:@,+-]*$/.test(text) && text.startsWith(last.slice(0, -1)))
          )
        })
        expect(known, command).toBe(true)
      }),
      { numRuns: 20_000 },
    )
  })
})
