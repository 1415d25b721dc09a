import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { subjects } from '../../../../test/app/samples.ts'
import type { Alert, AlertId } from '../../../domain/alert/schema.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { AskId } from '../../../domain/ask/id.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { misfit } from '../../../domain/ask/answer.ts'
import { AskSubject } from '../../../domain/ask/subject.ts'
import { mostActionBytes } from '../adapter.ts'
import { alertAction, askAction, readAction } from '../../../app/chat/card-actions.ts'
import { askCard } from './ask-card.ts'
import { alertCard, sessionCard, summaryCard } from './session-card.ts'
import { answerOf } from '../../../app/chat/button-answer.ts'

const id = '0198c0de-1111-7222-8333-444455556666' as AskId
const all = Object.values(subjects).map((subject) => AskSubject.parse(subject))
const frame = { source: 'claude in shop', answeredBy: null, mention: 'U1', link: null }

const askOf = (subject: AskSubject, more: Partial<Ask> = {}): Ask => ({
  id,
  sessionId: null,
  kind: subject.kind,
  origin: 'mcp',
  title: 'Write a file',
  description: null,
  riskLevel: 'low',
  claimedRisk: 'low',
  judgedRisk: 'low',
  riskReasons: [],
  status: 'open',
  subject,
  needed: 1,
  votes: [],
  answer: null,
  answeredBy: null,
  answeredAt: null,
  automatic: false,
  answerers: null,
  reason: null,
  result: null,
  undoneAt: null,
  retractedAt: null,
  approvedBy: null,
  slackTs: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  expiresAt: null,
  consumedAt: null,
  subjectHash: null,
  agentGroupId: null,
  requestedBy: null,
  circle: null,
  ...more,
})

it('shows the edits of a tool call once, with paths relative to the workspace', () => {
  const content = [
    { type: 'diff', path: '/work/shop/a.md', oldText: null, newText: 'one\n' },
    { type: 'diff', path: '/work/shopping/b.md', oldText: null, newText: 'two\n' },
  ]
  const subject = AskSubject.parse({ ...subjects.permission, toolCall: { title: 'Write a file', content } })
  const { lines } = askCard(askOf(subject), { ...frame, workspace: '/work/shop' })
  expect(lines.map(({ kind }) => kind)).toEqual(['diff'])
  expect(JSON.stringify(lines)).toContain('+++ b/a.md')
  expect(JSON.stringify(lines)).toContain('/work/shopping/b.md')
})

it('names hidden characters in a diff, but not the mark of an empty line', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n one\n \n+two \u202e\n'
  const [line] = askCard(askOf({ kind: 'diff', filePath: 'x', diff, files: [] }), frame).lines
  expect(line).toMatchObject({ text: expect.stringContaining('\n one\n \n+two') })
  expect(line).toMatchObject({ text: expect.stringContaining('⟨U+202E⟩') })
})

it('shows what a tool call would do, not only what the agent calls it', () => {
  const toolCall = {
    title: 'List files',
    args: { command: 'rm -rf build', cwd: '/work/shop' },
    locations: [{ path: '/work/shop/build' }],
    content: [{ type: 'content', content: { type: 'text', text: 'It only lists.' } }],
  }
  const subject = AskSubject.parse({ ...subjects.permission, toolCall })
  const { lines } = askCard(askOf(subject, { title: 'List files' }), { ...frame, workspace: '/work/shop' })
  expect(lines).toEqual([
    { kind: 'fields', fields: [['File', 'build']] },
    { kind: 'code', text: '$ rm -rf build' },
    { kind: 'quote', text: 'It only lists.' },
    { kind: 'code', text: '{\n  "cwd": "/work/shop"\n}' },
  ])
})

describe('the actions of buttons', () => {
  it('are read back as they were written, and fit every platform', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom('approve', 'refine', 'resume', 'decline'), (uuid, verb) => {
        const action = askAction(uuid as AskId, verb)
        expect(readAction(action)).toEqual({ on: 'ask', id: uuid, verb })
        expect(Buffer.byteLength(action)).toBeLessThanOrEqual(mostActionBytes)
      }),
    )
    expect(readAction(askAction(id, 12))).toEqual({ on: 'ask', id, option: 12 })
    expect(readAction(alertAction(id as string as AlertId, 'dismiss'))).toEqual({ on: 'alert', id, verb: 'dismiss' })
  })

  it.each([
    '',
    'ask',
    'ask:x:approve',
    `${askAction(id, 'approve')}:more`,
    askAction(id, 'approve').replace('approve', 'burn'),
  ])('are nothing else: %s', (text) => expect(readAction(text)).toBeNull())
})

describe('the card of an ask', () => {
  it.each(all.map((subject) => [subject.kind, subject] as const))('%s has buttons that answer it', (_kind, subject) => {
    const card = askCard(askOf(subject), frame)
    expect(card.tone).toBe('waiting')
    expect(card.mention).toBe('U1')
    for (const { action } of card.buttons) {
      const read = readAction(action)
      if (read?.on !== 'ask') throw new Error('not for an ask')
      const pressed = answerOf(subject, 'verb' in read ? read.verb : read.option)
      if (pressed === null) throw new Error(`${action} does nothing`)
      expect('answer' in pressed ? misfit(subject, pressed.answer) : null).toBeNull()
    }
    expect(new Set(card.buttons.map(({ action }) => action)).size).toBe(card.buttons.length)
  })

  it.each(all.map((subject) => [subject.kind, subject] as const))(
    '%s has no button once it is over',
    (_kind, subject) => {
      for (const status of ['answered', 'expired', 'interrupted', 'cancelled', 'consumed', 'failed'] as const)
        expect(askCard(askOf(subject, { status }), frame)).toMatchObject({ buttons: [], mention: null })
    },
  )

  it('says who rejected it, and why', () => {
    const ask = askOf(AskSubject.parse(subjects.diff), {
      status: 'answered',
      answer: { outcome: 'reject', reason: 'too big' },
    })
    const card = askCard(ask, { ...frame, answeredBy: 'Ann' })
    expect(card.tone).toBe('bad')
    expect(JSON.stringify(card.lines)).toContain('Rejected by Ann: too big.')
  })

  it('never shows a secret prompt with a way to answer it in the chat', () => {
    const secret = { ...AskSubject.parse(subjects.terminal_prompt), secret: true } as AskSubject
    expect(askCard(askOf(secret), frame).buttons.map(({ label }) => label)).toEqual(['Decline'])
    expect(JSON.stringify(askCard(askOf(secret), frame).lines)).toContain('not in a chat')
  })

  it('names hidden characters in what is decided about', () => {
    const subject = AskSubject.parse({ kind: 'command', command: 'rm \u202e-rf x', cwd: '/w' })
    expect(JSON.stringify(askCard(askOf(subject), frame).lines)).toContain('⟨U+202E⟩')
  })
})

describe('the cards of a session and an alert', () => {
  const session = {
    id: '0198c0de-1111-4222-8333-444455556666',
    status: 'active',
    prompt: 'Mend it',
    workspaceRoot: '/work/shop',
    metadata: { reason: 'idle_timeout' },
  } as unknown as Session
  const about = { source: 'claude in shop', owner: 'Ann', link: null }

  it('say how the session is', () => {
    expect(sessionCard(session, about)).toMatchObject({ title: 'Session started', buttons: [] })
    expect(sessionCard({ ...session, status: 'error' }, about)).toMatchObject({ title: 'Session failed', tone: 'bad' })
    expect(sessionCard({ ...session, status: 'paused' }, about).title).toBe('Session paused')
  })

  it('sum it up at its end', () => {
    const done = { seconds: 300, messages: 4, asks: 1, files: ['a.ts'] }
    const card = summaryCard({ ...session, status: 'completed' }, done, about)
    expect(card).toMatchObject({ title: 'Session completed', tone: 'good' })
    expect(JSON.stringify(card.lines)).toContain('"Duration","5 minutes"')
    expect(JSON.stringify(card.lines)).toContain('"Reason","idle timeout"')
  })

  it('offer a nudge while the alert is open', () => {
    const alert = { id, status: 'pending', closedAt: null } as unknown as Alert
    const open = { source: 'claude in shop', text: 'No activity', closedBy: null, mention: 'U1' }
    expect(alertCard(alert, open).buttons.map(({ label }) => label)).toEqual(['Nudge', 'Stop session', 'Dismiss'])
    const closed = { ...alert, status: 'dismissed' as const, closedAt: '2026-01-01T00:00:00.000Z' }
    expect(alertCard(closed, { ...open, closedBy: 'Ann' })).toMatchObject({
      title: 'Alert dismissed by Ann',
      buttons: [],
    })
  })
})
