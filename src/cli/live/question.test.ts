import { describe, expect, it } from 'vitest'
import type { AskSubject } from '../../domain/ask/subject.ts'
import { fieldsOf, readField } from './form.ts'
import { questionOf, readLine } from './question.ts'

const options = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'ever', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
] as const
const permission = (kept: readonly (typeof options)[number][]) =>
  questionOf({ kind: 'permission', toolCall: {}, options: [...kept] })

describe('a permission', () => {
  it.each([
    ['y', { outcome: 'select', optionId: 'once', reason: null }],
    ['yes', { outcome: 'select', optionId: 'once', reason: null }],
    ['a', { outcome: 'select', optionId: 'ever', reason: null }],
    ['n too risky', { outcome: 'select', optionId: 'no', reason: 'too risky' }],
    ['Always allow', { outcome: 'select', optionId: 'ever', reason: null }],
    ['', null],
    ['maybe', null],
  ])('answered with %j means %j', (line, answer) => expect(readLine(line, permission(options))).toEqual(answer))

  it('that offers no way to reject can still be rejected', () => {
    expect(readLine('n', permission(options.slice(0, 2)))).toEqual({ outcome: 'reject', reason: null })
  })

  it('with several options of a kind numbers them, so that no letter is a guess', () => {
    const [once, , no] = options
    const question = permission([once, { ...once, optionId: 'other', name: 'Other' } as unknown as typeof once, no])
    expect(question.choices.map(({ key }) => key)).toEqual(['1', '2', 'n'])
    expect(readLine('y', question)).toBeNull()
    expect(readLine('2', question)).toMatchObject({ optionId: 'other' })
  })
})

describe('other asks', () => {
  const prompt: AskSubject = {
    kind: 'prompt',
    text: 'Go on?',
    promptType: 'continuation',
    elapsedSeconds: null,
    actionsTaken: null,
  }
  const question: AskSubject = {
    kind: 'question',
    question: 'Which?',
    options: [{ label: 'SQLite', value: 'sqlite' }],
    freeText: true,
  }
  const command: AskSubject = { kind: 'command', command: 'make', cwd: '/w' }
  it.each([
    [prompt, 'y', { outcome: 'continue' }],
    [prompt, 'no more time', { outcome: 'stop', reason: 'more time' }],
    [prompt, 'use tabs', { outcome: 'refine', instruction: 'use tabs' }],
    [question, '1', { outcome: 'reply', value: 'sqlite' }],
    [question, 'sqlite', { outcome: 'reply', value: 'sqlite' }],
    [question, '1 or 2', { outcome: 'reply', value: '1 or 2' }],
    [question, '/decline not mine', { outcome: 'decline', reason: 'not mine' }],
    [command, 'a', { outcome: 'approve', always: true, reason: null }],
    [command, 'n', { outcome: 'reject', reason: null }],
    [command, 'sure', null],
  ] as const)('%j with %j', (subject, line, answer) => {
    expect(readLine(line, questionOf(subject))).toEqual(answer)
  })
})

describe('a form', () => {
  const fields = fieldsOf({
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Your name', minLength: 2 },
      size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
      age: { type: 'integer', minimum: 1, default: 7 },
      fast: { type: 'boolean' },
      tags: { type: 'array', items: { anyOf: [{ const: 'a', title: 'Alpha' }, { const: 'b' }] } },
    },
    required: ['name', 'size'],
  })
  const read = (name: string, line: string) => {
    const field = fields.find((one) => one.name === name)
    return field && readField(field, line)
  }

  it('asks for its fields by their titles', () => {
    expect(fields.map(({ title, required }) => [title, required])).toEqual([
      ['Your name', true],
      ['size', true],
      ['age', false],
      ['fast', false],
      ['tags', false],
    ])
  })

  it.each([
    ['name', 'Ann', { value: 'Ann' }],
    ['name', 'A', { problem: 'At least 2 characters, please.' }],
    ['name', '', { problem: 'Required. /decline gives no answer at all.' }],
    ['size', '2', { value: 'm' }],
    ['size', 'small', { value: 's' }],
    ['size', 'huge', { problem: 'Choose 1 to 2.' }],
    ['age', '', { value: 7 }],
    ['age', '0', { problem: 'It must be at least 1.' }],
    ['age', '1.5', { problem: 'This must be a whole number.' }],
    ['fast', 'y', { value: true }],
    ['fast', '', { value: undefined }],
    ['tags', '1, b', { value: ['a', 'b'] }],
  ])('reads for %s %j as %j', (name, line, result) => expect(read(name, line)).toEqual(result))
})
