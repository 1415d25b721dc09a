import { describe, expect, it } from 'vitest'
import type { AskSubject } from '../ask/subject.ts'
import { answerTo } from './answer-text.ts'

const subject = (kind: AskSubject['kind'], more: object = {}): AskSubject => ({ kind, ...more }) as AskSubject
const diff = subject('diff')
const prompt = subject('prompt')
const wait = subject('wait')
const options = [
  { label: 'Blue', value: 'blue' },
  { label: 'Dark green', value: 'green' },
]
const question = subject('question', { options, freeText: true })
const choice = subject('question', { options, freeText: false })
const permission = subject('permission', {
  options: [
    { optionId: 'a', name: 'Allow always', kind: 'allow_always' },
    { optionId: 'r', name: 'No', kind: 'reject_once' },
  ],
})
const terminal = (more: object = {}) =>
  subject('terminal_prompt', { suggestedInputs: ['y', 'n'], secret: false, dangerous: false, ...more })

const approve = { outcome: 'approve', always: false, reason: null }

describe('a text answers', () => {
  it.each([
    [diff, 'approve', approve],
    [diff, ' Approve. ', approve],
    [diff, 'approve the design, please', null],
    [diff, 'reject', { outcome: 'reject', reason: null }],
    [diff, 'Reject: needs a test', { outcome: 'reject', reason: 'needs a test' }],
    [diff, 'continue', null],
    [diff, 'approved', null],
    [diff, 'looks good', null],
    [diff, 'constructor', null],
    [diff, '', null],
    [prompt, 'continue', { outcome: 'continue' }],
    [prompt, 'continue with the docs', null],
    [prompt, 'refine only the docs', { outcome: 'refine', instruction: 'only the docs' }],
    [prompt, 'refine', null],
    [prompt, 'stop', { outcome: 'stop', reason: null }],
    [wait, 'resume\nwith two lines', { outcome: 'resume', instruction: 'with two lines' }],
    [wait, 'stop that', { outcome: 'stop', reason: 'that' }],
    [question, 'blue', { outcome: 'reply', value: 'blue' }],
    [question, 'Dark Green!', { outcome: 'reply', value: 'green' }],
    [question, '2', { outcome: 'reply', value: 'green' }],
    [question, '#1', { outcome: 'reply', value: 'blue' }],
    [question, '7', { outcome: 'reply', value: '7' }],
    [question, 'answer: rather red', { outcome: 'reply', value: 'rather red' }],
    [question, 'rather red', { outcome: 'reply', value: 'rather red' }],
    [question, 'decline', { outcome: 'decline', reason: null }],
    [choice, 'rather red', null],
    [choice, '1', { outcome: 'reply', value: 'blue' }],
    [permission, 'no', { outcome: 'select', optionId: 'r', reason: null }],
    [permission, '1', { outcome: 'select', optionId: 'a', reason: null }],
    [permission, 'maybe', null],
    [terminal(), 'y', { outcome: 'reply', value: 'y' }],
    [terminal(), 'rm it', null],
    [terminal({ dangerous: true }), 'confirm y', { outcome: 'reply', value: 'y', confirmed: true }],
    [terminal(), 'confirm y', null],
    [question, 'confirm it', { outcome: 'reply', value: 'confirm it' }],
    [terminal(), 'answer rm it', { outcome: 'reply', value: 'rm it' }],
    [terminal({ dangerous: true }), 'y', null],
    [terminal({ dangerous: true }), 'answer y', { outcome: 'reply', value: 'y' }],
    [terminal({ secret: true }), 'answer hunter2', null],
  ])('%#: %j %j', (to, text, answer) => {
    expect(answerTo(to, text)?.answer ?? null).toEqual(answer)
  })

  it('exactly, unless a question takes any text', () => {
    expect([answerTo(question, 'rather red')?.exact, answerTo(question, 'blue')?.exact]).toEqual([false, true])
  })
})
