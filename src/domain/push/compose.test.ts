import { describe, expect, it } from 'vitest'
import { newId, newRandomId } from '../../lib/id.ts'
import type { Alert } from '../alert/schema.ts'
import type { Ask } from '../ask/schema.ts'
import type { AskSubject } from '../ask/subject.ts'
import type { SessionId } from '../session/id.ts'
import { actionsFor, composePush, type NotificationOrigin } from './compose.ts'
import { longestPayload } from './payload.ts'

const command: AskSubject = { kind: 'command', command: 'npm test', cwd: '/work' }
const ask = (more: Partial<Ask> = {}): Ask => ({
  id: newId(),
  sessionId: newRandomId<SessionId>(),
  kind: 'command',
  origin: 'api',
  title: 'May I?',
  description: null,
  riskLevel: 'low',
  claimedRisk: 'low',
  judgedRisk: 'low',
  riskReasons: [],
  status: 'open',
  subject: command,
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
  createdAt: '2030-01-01T00:00:00.000Z',
  expiresAt: null,
  consumedAt: null,
  subjectHash: null,
  agentGroupId: null,
  requestedBy: null,
  circle: null,
  ...more,
})
const session = {
  id: newRandomId<SessionId>(),
  agent: 'claude',
  protocolMode: 'acp' as const,
  status: 'active' as const,
}
const from: NotificationOrigin = { session, repo: 'shop' }
const frame = { silent: false, badge: 3, at: '2030-01-01T00:00:00.000Z' }
const told = (more: Partial<Ask> = {}) =>
  composePush({ type: 'needs_you', ask: ask(more), from, mayApprove: true }, frame)
const size = (payload: unknown) => Buffer.byteLength(JSON.stringify(payload))

describe('a message about an ask', () => {
  it('says what is asked, by whom and where, and how risky it is', () => {
    const payload = told({ riskLevel: 'high', title: 'Run the tests?' })
    expect(payload).toMatchObject({ title: 'Run the tests?', badge: 3, v: 1, type: 'needs_you' })
    expect(payload.body).toBe('claude in shop · high risk\n$ npm test (in /work)')
  })

  it('shows no secret from the title, the command or the question', () => {
    const key = 'ghp_0123456789abcdefABCDEF0123456789abcd'
    const subjects: AskSubject[] = [
      { ...command, command: `curl -H "Authorization: Bearer ${key}"` },
      { kind: 'question', question: `Is password=${key} right?`, options: [], freeText: true },
      { ...terminal, promptText: `token: ${key}` },
    ]
    for (const subject of subjects) expect(JSON.stringify(told({ title: `Use ${key}?`, subject }))).not.toContain(key)
  })

  it('does not repeat what a prompt for a secret shows', () => {
    const payload = told({ subject: { ...terminal, promptText: 'Password for ann:', secret: true } })
    expect(payload.body).toContain('Asks for a secret.')
    expect(payload.body).not.toContain('Password')
  })

  it('is plain text on one line, whatever an agent wrote', () => {
    const { title } = told({ title: '\u202Eevil\u0007\n\n[31m  title\u200B' })
    expect(title).toBe('evil [31m title')
  })

  it.each(['x'.repeat(100_000), '密'.repeat(50_000), '👩‍👩‍👧‍👦'.repeat(5_000), '"\\'.repeat(20_000)])(
    'fits a push service however long its text is',
    (words) => {
      const long: NotificationOrigin = { session: { ...session, agent: words }, repo: words }
      const subject: AskSubject = { ...command, command: words }
      const payload = composePush(
        { type: 'needs_you', ask: ask({ title: words, subject }), from: long, mayApprove: true },
        frame,
      )
      expect(size(payload)).toBeLessThanOrEqual(longestPayload)
      expect(payload.title).toMatch(/…$/)
      expect(payload.title.isWellFormed()).toBe(true)
    },
  )
})

const terminal: Extract<AskSubject, { kind: 'terminal_prompt' }> = {
  kind: 'terminal_prompt',
  promptText: 'Go on?',
  promptType: 'yes_no',
  dangerous: false,
  suggestedInputs: [],
  promptId: null,
  secret: false,
  dangerReason: null,
}

describe('what can be answered from a notification', () => {
  const actions = (subject: AskSubject, riskLevel: Ask['riskLevel'] = 'low') =>
    actionsFor({ subject, riskLevel }, true).map(({ action }) => action)
  const permission = (kind: 'allow_once' | 'allow_always'): AskSubject => ({
    kind: 'permission',
    toolCall: {},
    options: [{ optionId: 'a', name: 'Allow', kind }],
  })

  it('a plain yes or no', () => {
    expect(actions(command)).toEqual(['approve', 'reject'])
    // Its tool call is not shown there.
    expect(actions(permission('allow_once'))).toEqual(['open', 'reject'])
    expect(actions({ kind: 'command', command: `ls ${'x'.repeat(300)}; curl x | sh`, cwd: '/' })).toEqual([
      'open',
      'reject',
    ])
    for (const unseen of ['ls \u202e', 'ls ', 'ls  x', 'ls\nrm x', 'export token=abcd1234', ''])
      expect(actions({ kind: 'command', command: unseen, cwd: '/' })).toEqual(['open', 'reject'])
    for (const cwd of [`/${'x'.repeat(300)}`, '/w\u200b', '/w '])
      expect(actions({ kind: 'command', command: 'ls', cwd })).toEqual(['open', 'reject'])
    expect(actions({ kind: 'command', command: 'x [REDACTED]', cwd: '/', masked: true })).toEqual(['open', 'reject'])
    const prompt: AskSubject = {
      kind: 'prompt',
      text: 'Go on?',
      promptType: 'continuation',
      elapsedSeconds: null,
      actionsTaken: null,
    }
    expect(actions(prompt)).toEqual(['continue', 'stop'])
  })

  it('critical asks can be rejected there, but not approved', () => {
    expect(actions(command, 'critical')).toEqual(['open', 'reject'])
  })

  it('permissions that can’t be given once, and answers with text, open the page', () => {
    expect(actions(permission('allow_always'))).toEqual(['open', 'reject'])
    expect(actions(terminal)).toEqual(['open'])
    expect(actions({ ...terminal, dangerous: true })).toEqual(['open'])
    expect(actions({ kind: 'wait', message: null })).toEqual(['open'])
  })
})

describe('a message about something else', () => {
  it('says that a turn or a session has ended, and links to it', () => {
    const done = { session, repo: 'shop' }
    expect(composePush({ type: 'done', turn: true, from: done }, frame)).toMatchObject({
      title: 'claude finished its turn',
      body: 'shop',
      url: `/sessions/${session.id}`,
    })
    const ended = { ...session, agent: null, protocolMode: 'terminal' as const, status: 'error' as const }
    expect(composePush({ type: 'done', turn: false, from: { session: ended, repo: 'shop' } }, frame)).toMatchObject({
      title: 'A terminal failed',
      url: `/terminals/${session.id}`,
    })
  })

  it('says who answered, or that nobody did', () => {
    const gone = (more: Partial<Ask>, who: string | null) =>
      composePush({ type: 'gone', ask: ask(more), from, who }, frame).body
    const approve = { outcome: 'approve', always: false, reason: null } as const
    expect(gone({ status: 'consumed', answer: approve }, 'Bob')).toBe('Bob approved it. claude in shop')
    expect(gone({ status: 'expired' }, null)).toContain('Nobody answered in time')
    expect(gone({ status: 'cancelled' }, null)).toContain('Withdrawn')
  })

  it('says how long an alert has lasted, and after how many nudges', () => {
    const alert: Alert = {
      id: newId(),
      sessionId: session.id,
      cause: 'silent',
      status: 'pending',
      lastTool: null,
      lastActivityAt: '2030-01-01T00:00:00.000Z',
      idleSeconds: 300,
      nudgeCount: 0,
      nudgeMessage: null,
      slackTs: null,
      nextAt: null,
      nudgedAt: null,
      escalatedAt: null,
      closedAt: null,
      closedBy: null,
      createdAt: '2030-01-01T00:05:00.000Z',
    }
    expect(composePush({ type: 'needs_you', alert, from }, frame)).toMatchObject({
      title: 'claude may be stuck',
      body: 'shop: No sign of life for 5 minutes.',
      url: `/alerts/${alert.id}`,
    })
    const escalated: Alert = { ...alert, status: 'escalated', nudgeCount: 3 }
    expect(composePush({ type: 'needs_you', alert: escalated, from }, frame).body).toContain('after 3 nudges')
  })
})
