import type { Alert } from '../alert/schema.ts'
import { isGrave, riskWords } from '../ask/about.ts'
import { outcomesOf } from '../ask/outcomes.ts'
import type { Ask } from '../ask/schema.ts'
import type { Session } from '../session/schema.ts'
import { longestPayload, type PushAction, type PushPayload } from './payload.ts'
import { alertText, clip, detailOf, goneText, oneLine } from './notification-text.ts'

/** Where it comes from, in names. */
export type NotificationOrigin = {
  session: Pick<Session, 'id' | 'agent' | 'protocolMode' | 'status'> | null
  repo: string | null
}

/** What is told, with all that is known of it now. */
export type NotificationSubject =
  | { type: 'needs_you'; ask: Ask; from: NotificationOrigin; mayApprove: boolean }
  | { type: 'needs_you'; alert: Alert; from: NotificationOrigin }
  | { type: 'done'; turn: boolean; from: NotificationOrigin & { session: NonNullable<NotificationOrigin['session']> } }
  | { type: 'gone'; ask: Ask; from: NotificationOrigin; who: string | null }
  | { type: 'gone'; alert: Alert; from: NotificationOrigin; who: string | null }

type NotificationFrame = { silent: boolean; badge: number; at: string }

export function composePush(telling: NotificationSubject, frame: NotificationFrame): PushPayload {
  const payload: PushPayload = { v: 1, type: telling.type, ...contentOf(telling), ...frame }
  return fit(payload)
}

export const testPush = (frame: Omit<NotificationFrame, 'silent'>): PushPayload => ({
  v: 1,
  type: 'test',
  tag: 'test',
  title: 'Signalbox reaches you here',
  body: 'You will hear of what needs you, and see what is done.',
  url: '/settings/notifications',
  silent: false,
  ...frame,
})

function contentOf(
  telling: NotificationSubject,
): Pick<PushPayload, 'tag' | 'title' | 'body' | 'url' | 'askId' | 'actions'> {
  const source = sourceOf(telling.from)
  if (telling.type === 'done') {
    const { session } = telling.from
    const how = telling.turn ? 'is done with its turn' : (endText[session.status] ?? 'ended')
    return { ...sessionUrl(session), title: `${source.who} ${how}`, body: source.place, tag: `session:${session.id}` }
  }
  if ('alert' in telling) {
    const { alert } = telling
    const place = { tag: `alert:${alert.id}`, url: `/alerts/${alert.id}` }
    const gone = telling.type === 'gone'
    const by = gone && telling.who !== null ? ` ${telling.who} dismissed the alert.` : ''
    return gone
      ? { ...place, title: `${source.who} no longer needs you`, body: `${source.place}.${by}` }
      : { ...place, title: `${source.who} may be stuck`, body: `${source.place}: ${alertText(alert)}` }
  }
  const { ask } = telling
  const title = oneLine(ask.title, 200) || 'An agent asks'
  const place = { tag: `ask:${ask.id}`, url: `/asks/${ask.id}`, askId: ask.id, title }
  if (telling.type === 'gone') return { ...place, body: `${goneText(ask, telling.who)} ${source.line}` }
  const judged = oneLine(riskWords(ask), 300)
  const risk = ask.riskLevel === 'low' ? '' : ` · ${ask.riskLevel} risk${judged === '' ? '' : `\n${judged}`}`
  const detail = oneLine(detailOf(ask.subject), longestDetail)
  const body = `${source.line}${risk}${detail === '' || detail === title ? '' : `\n${detail}`}`
  return { ...place, body, actions: actionsFor(ask, telling.mayApprove) }
}

const longestDetail = 600

const endText: Partial<Record<Session['status'], string>> = {
  completed: 'is done',
  cancelled: 'was cancelled',
  error: 'failed',
  terminated: 'was stopped',
}

function sourceOf({ session, repo }: NotificationOrigin): { who: string; place: string; line: string } {
  const agent = session?.agent ?? (session?.protocolMode === 'terminal' ? 'A terminal' : 'An agent')
  const who = oneLine(agent, 100)
  const place = oneLine(repo ?? 'Signalbox', 200)
  return { who, place, line: session === null ? place : `${who} in ${place}` }
}

const sessionUrl = ({ id, protocolMode }: Pick<Session, 'id' | 'protocolMode'>) => ({
  url: protocolMode === 'terminal' ? `/terminals/${id}` : `/sessions/${id}`,
})

const titles: Readonly<Record<PushAction, string>> = {
  approve: 'Approve',
  reject: 'Reject',
  continue: 'Continue',
  stop: 'Stop',
  open: 'Open',
}

/** Nobody approves what they have not seen: a notification shows a short command, and no diff, input or package. */
const isShownWhole = (subject: Ask['subject']): boolean =>
  subject.kind === 'command' &&
  subject.masked !== true &&
  [subject.command, subject.cwd].every((text) => /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(text)) &&
  oneLine(detailOf(subject), longestDetail) === detailOf(subject)

/** Answers that need no words. What is grave can be refused there, but must be opened to be allowed. */
export function actionsFor(
  ask: Pick<Ask, 'subject' | 'riskLevel'>,
  mayApprove: boolean,
): NonNullable<PushPayload['actions']> {
  const { subject } = ask
  const outcomes = outcomesOf[subject.kind]
  const opens = !mayApprove || isGrave(ask)
  const offered: PushAction[] = []
  if (outcomes.includes('approve')) offered.push(opens || !isShownWhole(subject) ? 'open' : 'approve', 'reject')
  else if (subject.kind === 'prompt') offered.push(opens ? 'open' : 'continue', 'stop')
  else offered.push('open')
  return offered.map((action) => ({ action, title: titles[action] }))
}

const sizeOf = (payload: PushPayload): number => new TextEncoder().encode(JSON.stringify(payload)).length

/** Names are somebody else's words too; what is too long loses the end of its body. */
function fit(payload: PushPayload): PushPayload {
  const over = sizeOf(payload) - longestPayload
  return over <= 0 ? payload : { ...payload, body: clip(payload.body, Math.max(0, payload.body.length - over - 100)) }
}
