import { attentionWords } from '../../../../src/domain/session/attention.ts'
import type { Event } from '../../../../src/domain/audit/schema.ts'

type Data = Event['data']
type Words = string | ((data: Data) => string)

const word = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const plain = (value: unknown): string => word(value).replaceAll('_', ' ')
const because = ({ reason }: Data): string => (word(reason) === '' ? '' : `: ${word(reason)}`)

/** What happened, as the one who did it would be told of: each is read behind a name. */
const sentences: Readonly<Record<string, Words>> = {
  'session.started': ({ restartOf }) => (restartOf === null ? 'started the session' : 'continued an earlier session'),
  'session.status_changed': (data) => `made it ${word(data['to'])}, which was ${word(data['from'])}${because(data)}`,
  'session.connectivity_changed': ({ to }) => `noted that the agent is ${word(to)}`,
  'session.mode_changed': ({ from, to }) => `changed notification routing from ${word(from)} to ${word(to)}`,
  'session.watch_changed': ({ paused }) => (paused ? 'paused stall detection' : 'resumed stall detection'),
  'session.alerted': ({ what }) => `called for attention: ${attentionWords(word(what))}`,
  'session.steered': ({ what, detail }) => `${steerWords(word(what))}${word(detail) === '' ? '' : `: ${word(detail)}`}`,
  'session.rejoined': 'joined an earlier session again',
  'session.delegated': 'delegated the session',
  'session.undelegated': 'took a delegation back',
  'message.added': ({ role }) => (role === 'user' ? 'said something to the agent' : 'took down a message'),
  'message.completed': 'took down the end of a message',
  'ask.opened': ({ kind, title }) => `asked (${plain(kind)})${word(title) === '' ? '' : `: ${word(title)}`}`,
  'ask.voted': ({ outcome, given, needed }) => `said ${word(outcome)} to an ask, ${word(given)} of ${word(needed)}`,
  'ask.answered': ({ outcome, automatic }) =>
    `answered an ask: ${outcomes[word(outcome)] ?? word(outcome)}${automatic ? ' (by rule)' : ''}`,
  'ask.expired': 'let an ask expire',
  'ask.expiry_lifted': 'let an ask wait without an end',
  'ask.interrupted': 'lost an ask with its agent',
  'ask.cancelled': (data) => `withdrew an ask${because(data)}`,
  'ask.claimed': 'began to carry out an answer',
  'ask.released': (data) => `put an answer back${because(data)}`,
  'ask.consumed': 'carried out an answer',
  'ask.undone': 'undid what an approval had changed',
  'ask.failed': (data) => `could not carry out an answer${because(data)}`,
  'queue.added': ({ when }) => `queued words for the agent (${word(when)})`,
  'queue.sent': 'handed words to the agent',
  'queue.delivered': ({ outcome }) => `noted that the turn ${outcome === 'ended' ? 'ended' : `was ${word(outcome)}`}`,
  'queue.dropped': (data) => `took back words for the agent${because(data)}`,
  'queue.moved': 'took what waited over to the next session',
  'checkpoint.recorded': ({ fileCount }) => `made a checkpoint of ${word(fileCount)} files`,
  'checkpoint.restored': ({ restored }) => `restored a checkpoint, ${word(restored)} files put back`,
  'alert.raised': ({ cause }) => `raised an alert: ${plain(cause)}`,
  'alert.nudged': 'nudged the agent',
  'alert.escalated': 'escalated an alert',
  'alert.dismissed': 'dismissed an alert',
  'alert.recovered': 'noted that the agent is heard again',
  'alert.lapsed': 'closed an alert that no longer matters',
  'terminal.opened': 'opened a terminal',
  'terminal.closed': ({ exitCode }) =>
    `noted that the program ended${exitCode === null ? '' : ` with ${word(exitCode)}`}`,
  'terminal.granted': 'let an agent at the terminal',
  'terminal.revoked': 'took the terminal from an agent',
  'security.reported': ({ what, detail }) => `reported ${plain(what)}: ${word(detail)}`,
}

const outcomes: Readonly<Record<string, string>> = { select: 'chose an option', accept: 'filled in the form' }

const steering: Readonly<Record<string, string>> = {
  cancel_turn: 'cancelled the turn',
  set_mode: 'set the mode of the agent',
  set_option: 'set an option of the agent',
  recover: 'recovered the session',
  run: 'had something run',
}
const steerWords = (what: string): string => steering[what] ?? `steered the agent (${what})`

/** An event in words; one that has none yet by its name. */
export function eventWords({ type, data }: Pick<Event, 'type' | 'data'>): string {
  const words = sentences[type]
  if (words === undefined) return type
  return typeof words === 'string' ? words : words(data)
}
