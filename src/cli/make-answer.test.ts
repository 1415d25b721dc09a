import { describe, expect, it } from 'vitest'
import { misfit, Answer, type Outcome } from '../domain/ask/answer.ts'
import { outcomesOf } from '../domain/ask/outcomes.ts'
import type { AskId } from '../domain/ask/schema.ts'
import { AskSubject } from '../domain/ask/subject.ts'
import { answerLines, shellWord } from './answer-lines.ts'
import type { FlagValues } from './command.ts'
import { makeAnswer } from './make-answer.ts'
import { parseCommandLine } from './parse.ts'
import { rootCommand } from './table.ts'
import type { answerFlags } from './table/work.ts'

const make = (outcome: Outcome, words: string[] = [], more: { reason?: string; always?: boolean } = {}) =>
  makeAnswer({ outcome, words, reason: more.reason, always: more.always ?? false, forSession: false })

describe('words that become an answer:', () => {
  it.each([
    [make('approve'), { outcome: 'approve', always: false, reason: null }],
    [make('approve', ['fine'], { always: true }), { outcome: 'approve', always: true, reason: 'fine' }],
    [make('reject', ['no', 'tests']), { outcome: 'reject', reason: 'no tests' }],
    [make('reject', [], { reason: 'why' }), { outcome: 'reject', reason: 'why' }],
    [make('select', ['allow_once']), { outcome: 'select', optionId: 'allow_once', reason: null }],
    [make('continue'), { outcome: 'continue' }],
    [make('refine', ['use', 'tabs']), { outcome: 'refine', instruction: 'use tabs' }],
    [make('resume'), { outcome: 'resume', instruction: null }],
    [make('stop', ['enough']), { outcome: 'stop', reason: 'enough' }],
    [make('reply', ['y']), { outcome: 'reply', value: 'y' }],
    [
      make('accept', ['name=Ann B', 'age=7', 'ok=true', 'zip=0a']),
      { outcome: 'accept', content: { name: 'Ann B', age: 7, ok: true, zip: '0a' } },
    ],
    [make('accept', ['{"a":[1]}']), { outcome: 'accept', content: { a: [1] } }],
    [make('decline'), { outcome: 'decline', reason: null }],
  ])('%j', (made, expected) => {
    expect(made).toEqual(expected)
    expect(Answer.parse(made)).toEqual(expected)
  })

  it.each([
    [() => make('reject', [], { always: true }), /--always works only with approve/],
    [() => make('refine'), /refine needs what to do instead/],
    [() => make('select'), /select needs the option/],
    [() => make('reply'), /reply needs your answer/],
    [() => make('continue', ['x']), /continue takes no text/],
    [() => make('reject', ['a'], { reason: 'b' }), /Give the reason once/],
    [() => make('accept', ['{"a":']), /not valid JSON/],
    [() => make('accept', ['x']), /"x" has no name/],
  ])('%s is refused', (attempt, message) => expect(attempt).toThrow(message))
})

const id = '0199c2d4-0000-7000-8000-000000000000' as AskId
const subjects = [
  { kind: 'diff', filePath: 'a', diff: '+x' },
  { kind: 'permission', toolCall: {}, options: [{ optionId: "don't ask", name: 'Once\u001b[2J', kind: 'allow_once' }] },
  { kind: 'elicitation', message: 'Who?', schema: { type: 'object', properties: { name: {} } } },
  { kind: 'prompt', text: 'Go on?' },
  { kind: 'wait' },
  { kind: 'question', question: 'Which?', options: [{ label: 'B', value: 'b c' }], freeText: false },
  { kind: 'terminal_prompt', promptText: 'Sure?', promptType: 'yes_no', suggestedInputs: ['y', 'n'] },
].map((subject) => AskSubject.parse(subject))

describe('the lines that answer an ask', () => {
  it.each(subjects)('of kind $kind are valid when typed', (subject) => {
    const lines = answerLines({ id, subject, sessionId: null })
    expect(new Set(lines.map((line) => line.split(' ')[3]))).toEqual(new Set(outcomesOf[subject.kind]))
    for (const line of lines) {
      const words = shellWords(line.replace(/ {2}#.*$/, '')).slice(1)
      const { args, flags } = parseCommandLine(words, rootCommand).invocation
      const [, outcome, ...rest] = args
      const { reason, always, 'for-session': forSession } = flags as FlagValues<typeof answerFlags>
      const answer = makeAnswer({ outcome: outcome as Outcome, words: rest, reason, always, forSession })
      expect(misfit(subject, answer), line).toBeNull()
    }
  })

  it('quote what a shell would change', () => expect(shellWord("it's $HOME")).toBe(`'it'\\''s $HOME'`))
})

const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|\\.|[^\s'\\])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|\\(.)/g, '$1$2'))
