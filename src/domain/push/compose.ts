import type { Alert } from '../alert/schema.ts'
import { isGrave, riskWords } from '../ask/about.ts'
import { outcomesOf } from '../ask/outcomes.ts'
import type { Ask } from '../ask/schema.ts'
import type { Schedule } from '../schedule/schema.ts'
import type { Session } from '../session/schema.ts'
import { longestPayload, type PushAction, type PushPayload } from './payload.ts'
import { hiddenInText } from '../../lib/hidden-characters.ts'
import { maskSecretsInLine } from '../../lib/secret-words.ts'
import { canonicalJson } from '../../lib/json.ts'
import { visibleLine } from '../../lib/shell-words.ts'
import type { AskSubject } from '../ask/subject.ts'
import { maskSecrets } from '../pattern/secret-text.ts'

/** The session and repo it comes from. */
export type NotificationOrigin = {
  session: Pick<Session, 'id' | 'agent' | 'protocolMode' | 'status'> | null
  repo: string | null
}

/** What a notification is about, as things are now. */
export type NotificationSubject =
  | { type: 'needs_you'; ask: Ask; from: NotificationOrigin; mayApprove: boolean }
  | { type: 'needs_you'; alert: Alert; from: NotificationOrigin }
  | { type: 'needs_you'; schedule: Pick<Schedule, 'id' | 'name' | 'failuresInARow' | 'lastRun'> }
  | { type: 'done'; turn: boolean; from: NotificationOrigin & { session: NonNullable<NotificationOrigin['session']> } }
  | { type: 'gone'; ask: Ask; from: NotificationOrigin; who: string | null }
  | { type: 'gone'; alert: Alert; from: NotificationOrigin; who: string | null }

type NotificationFrame = { silent: boolean; badge: number; at: string }

export function composePush(about: NotificationSubject, frame: NotificationFrame): PushPayload {
  const payload: PushPayload = { v: 1, type: about.type, ...contentOf(about), ...frame }
  return fit(payload)
}

export const testPush = (frame: Omit<NotificationFrame, 'silent'>): PushPayload => ({
  v: 1,
  type: 'test',
  tag: 'test',
  title: 'Notifications work here',
  body: 'You get a sound when something needs you, and a silent note when work is done.',
  url: '/settings/notifications',
  silent: false,
  ...frame,
})

function contentOf(
  about: NotificationSubject,
): Pick<PushPayload, 'tag' | 'title' | 'body' | 'url' | 'askId' | 'actions'> {
  if ('schedule' in about) {
    const { id, name, failuresInARow: failures, lastRun } = about.schedule
    const times = failures > 1 ? ` (${failures} times in a row)` : ''
    const title = `Schedule failed: ${oneLine(name, 150)}`
    const body = `${oneLine(lastRun?.reason ?? 'Its last run failed.', longestDetail)}${times}`
    return { tag: `schedule:${id}`, url: `/schedules/${id}`, title, body }
  }
  const source = sourceOf(about.from)
  if (about.type === 'done') {
    const { session } = about.from
    const how = about.turn ? 'finished its turn' : (endText[session.status] ?? 'ended')
    return { ...sessionUrl(session), title: `${source.who} ${how}`, body: source.place, tag: `session:${session.id}` }
  }
  if ('alert' in about) {
    const { alert } = about
    const target = { tag: `alert:${alert.id}`, url: `/alerts/${alert.id}` }
    const gone = about.type === 'gone'
    const by = gone && about.who !== null ? ` ${about.who} dismissed the alert.` : ''
    return gone
      ? { ...target, title: `${source.who} no longer needs you`, body: `${source.place}.${by}` }
      : { ...target, title: `${source.who} may be stuck`, body: `${source.place}: ${alertText(alert)}` }
  }
  const { ask } = about
  const title = oneLine(ask.title, 200) || 'An agent asks'
  const target = { tag: `ask:${ask.id}`, url: `/asks/${ask.id}`, askId: ask.id, title }
  if (about.type === 'gone') return { ...target, body: `${goneText(ask, about.who)} ${source.line}` }
  const judged = oneLine(riskWords(ask), 300)
  const risk = ask.riskLevel === 'low' ? '' : ` · ${ask.riskLevel} risk${judged === '' ? '' : `\n${judged}`}`
  const detail = oneLine(detailOf(ask.subject), longestDetail)
  const body = `${source.line}${risk}${detail === '' || detail === title ? '' : `\n${detail}`}`
  return { ...target, body, actions: actionsFor(ask, about.mayApprove) }
}

const longestDetail = 600

const endText: Partial<Record<Session['status'], string>> = {
  completed: 'finished',
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

/** Whether a notification shows all there is to approve: only a short command fits; diffs, inputs and packages do not. */
const isShownWhole = (subject: Ask['subject']): boolean =>
  subject.kind === 'command' &&
  subject.masked !== true &&
  [subject.command, subject.cwd].every((text) => /^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(text)) &&
  oneLine(detailOf(subject), longestDetail) === detailOf(subject)

/** Answers that need no text. A grave ask can be rejected from a notification, but must be opened to be approved. */
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

/** Cuts the body so that the payload fits; titles and names may be long too. */
function fit(payload: PushPayload): PushPayload {
  const over = sizeOf(payload) - longestPayload
  return over <= 0 ? payload : { ...payload, body: clip(payload.body, Math.max(0, payload.body.length - over - 100)) }
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** Foreign text as one line for a lock screen: short, without secrets or invisible characters. */
function oneLine(text: string, most: number): string {
  const line = maskSecrets(maskSecretsInLine(text.slice(0, 10_000)))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(hiddenInText, '')
    .trim()
  return clip(line, most)
}

/** At most `most` bytes, cut between characters. */
function clip(text: string, most: number): string {
  if (byteLength(text) <= most) return text
  let kept = ''
  let size = 3
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    size += byteLength(segment)
    if (size > most) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** The most important detail of an ask. */
function detailOf(subject: AskSubject): string {
  switch (subject.kind) {
    case 'diff':
      return subject.files.length > 1 ? `${subject.filePath} and ${subject.files.length - 1} more` : subject.filePath
    case 'command':
      return `$ ${visibleLine(subject.command, 500)} (in ${subject.cwd})`
    case 'tool':
      return subject.tool
    case 'elicitation':
      return subject.message
    case 'prompt':
      return subject.text
    case 'wait':
      return subject.message ?? ''
    case 'question':
      return subject.question
    case 'packages':
      return [...subject.apt, ...subject.npm].join(', ')
    case 'mcp_server':
    case 'create_agent':
      return subject.name
    case 'credential':
      return `${subject.name} for ${subject.host}`
    case 'admin_command':
      return visibleLine(canonicalJson(subject.command), 500)
    case 'unknown_sender':
      return subject.identity
    case 'new_chat':
      return subject.name ?? subject.chat
    case 'terminal_prompt':
      return subject.secret ? 'Asks for a secret.' : subject.promptText
    case 'permission':
      return ''
    default:
      return subject satisfies never
  }
}

const outcomeText: Readonly<Record<string, string>> = {
  approve: 'approved it',
  reject: 'rejected it',
  select: 'answered it',
  continue: 'let it continue',
  refine: 'refined it',
  resume: 'let it continue',
  stop: 'stopped it',
  reply: 'replied',
  accept: 'replied',
  decline: 'declined',
}

/** How an ask ended; `who` answered it, or null. */
function goneText({ status, answer }: Pick<Ask, 'status' | 'answer'>, who: string | null): string {
  if (status === 'expired') return 'Nobody answered in time.'
  if (status === 'cancelled' || status === 'interrupted') return 'Withdrawn.'
  return `${who ?? 'Someone'} ${outcomeText[answer?.outcome ?? ''] ?? 'answered it'}.`
}

const minutes = (seconds: number): string => {
  const count = Math.max(1, Math.round(seconds / 60))
  return count === 1 ? 'a minute' : `${count} minutes`
}

function alertText({ status, cause, idleSeconds, nudgeCount }: Alert): string {
  if (status === 'escalated') return `No response after ${nudgeCount === 1 ? 'a nudge' : `${nudgeCount} nudges`}.`
  return cause === 'silent'
    ? `No sign of life for ${minutes(idleSeconds)}.`
    : `Connected, but inactive for ${minutes(idleSeconds)}.`
}
