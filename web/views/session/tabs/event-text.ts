import { attentionWords } from '../../../../src/domain/session/attention.ts'
import type { Event } from '../../../../src/domain/audit/schema.ts'

type EventData = Event['data']
type EventTexts = string | ((data: EventData) => string)

const word = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const plain = (value: unknown): string => word(value).replaceAll('_', ' ')
const because = ({ reason }: EventData): string => (word(reason) === '' ? '' : `: ${word(reason)}`)

/** Event descriptions; each follows the name of its actor. */
const sentences: Readonly<Record<string, EventTexts>> = {
  'session.started': ({ restartOf }) => (restartOf === null ? 'started the session' : 'continued an earlier session'),
  'session.status_changed': (data) =>
    `changed the status from ${word(data['from'])} to ${word(data['to'])}${because(data)}`,
  'session.connectivity_changed': ({ to }) => `noted that the agent is ${word(to)}`,
  'session.mode_changed': ({ from, to }) => `changed notification routing from ${word(from)} to ${word(to)}`,
  'session.watch_changed': ({ paused }) => (paused ? 'paused stall detection' : 'resumed stall detection'),
  'session.alerted': ({ what }) => `needs attention: ${attentionWords(word(what))}`,
  'session.steered': ({ what, detail }) => `${steerWords(word(what))}${word(detail) === '' ? '' : `: ${word(detail)}`}`,
  'session.renamed': ({ to }) =>
    word(to) === '' ? 'removed the name of the session' : `named the session ${word(to)}`,
  'session.pinned': ({ pinned }) => (pinned ? 'pinned the session' : 'unpinned the session'),
  'session.archived': ({ archived }) =>
    archived ? 'archived the session' : 'brought the session back from the archive',
  'session.rejoined': 'reconnected to an earlier session',
  'session.delegated': 'delegated the session',
  'session.undelegated': 'revoked a delegation',
  'message.added': ({ role }) => (role === 'user' ? 'messaged the agent' : 'recorded a message'),
  'message.completed': 'recorded the end of a message',
  'ask.opened': ({ kind, title }) => `asked (${plain(kind)})${word(title) === '' ? '' : `: ${word(title)}`}`,
  'ask.escalated': 'asked more administrators',
  'ask.voted': ({ outcome, given, needed }) => `answered ${word(outcome)} to an ask, ${word(given)} of ${word(needed)}`,
  'ask.answered': ({ outcome, automatic }) =>
    `answered an ask: ${outcomes[word(outcome)] ?? word(outcome)}${automatic ? ' (by rule)' : ''}`,
  'ask.expired': 'let an ask expire',
  'ask.expiry_lifted': 'let an ask wait without a limit',
  'ask.interrupted': 'lost an ask because its agent was lost',
  'ask.cancelled': (data) => `withdrew an ask${because(data)}`,
  'ask.claimed': 'started to apply an answer',
  'ask.released': (data) => `put an answer back${because(data)}`,
  'ask.consumed': 'applied an answer',
  'ask.retracted': 'retracted an approval',
  'ask.undone': 'undid the changes of an approval',
  'ask.failed': (data) => `could not apply an answer${because(data)}`,
  'queue.added': ({ when }) => `queued a message for the agent (${word(when)})`,
  'queue.changed': ({ textHash, moved }) =>
    word(textHash) !== ''
      ? 'edited a queued message'
      : moved === true
        ? 'moved a queued message'
        : 'changed when a queued message is sent',
  'attachment.added': ({ name }) => `uploaded ${word(name)}`,
  'budget.set': 'set a budget',
  'budget.removed': 'removed a budget',
  'template.added': ({ name }) => `added the template ${word(name)}`,
  'template.changed': ({ name }) => `changed the template ${word(name)}`,
  'template.removed': ({ name }) => `removed the template ${word(name)}`,
  'queue.sent': 'delivered a message to the agent',
  'queue.delivered': ({ outcome }) => `noted that the turn ${outcome === 'ended' ? 'ended' : `was ${word(outcome)}`}`,
  'queue.dropped': (data) => `removed a message for the agent${because(data)}`,
  'queue.moved': 'moved queued messages to the next session',
  'checkpoint.recorded': ({ fileCount }) =>
    `made a checkpoint of ${word(fileCount)} ${fileCount === 1 ? 'file' : 'files'}`,
  'checkpoint.restored': ({ restored }) => `restored a checkpoint, ${word(restored)} files`,
  'alert.raised': ({ cause }) => `raised an alert: ${plain(cause)}`,
  'alert.nudged': 'nudged the agent',
  'alert.escalated': 'escalated an alert',
  'alert.dismissed': 'dismissed an alert',
  'alert.recovered': 'noted that the agent responded again',
  'alert.lapsed': 'closed an alert that no longer matters',
  'terminal.opened': 'opened a terminal',
  'terminal.closed': ({ exitCode }) =>
    `noted that the program ended${exitCode === null ? '' : ` with ${word(exitCode)}`}`,
  'terminal.granted': 'gave an agent access to the terminal',
  'terminal.revoked': "revoked an agent's access to the terminal",
  'security.reported': ({ what, detail }) => `reported ${plain(what)}: ${word(detail)}`,
}

const outcomes: Readonly<Record<string, string>> = { select: 'chose an option', accept: 'filled in the form' }

const steering: Readonly<Record<string, string>> = {
  cancel_turn: 'cancelled the turn',
  set_mode: 'set the mode of the agent',
  set_option: 'set an option of the agent',
  recover: 'recovered the session',
  run: 'ran a command',
  commit: 'committed the changes',
  merge: 'merged the worktree',
  rebase: 'rebased and merged the worktree',
  remove_worktree: 'removed the worktree',
  pull_request: 'pushed the branch for a pull request',
}
const steerWords = (what: string): string => steering[what] ?? `steered the agent (${what})`

/** The description of an event, else its type. */
export function eventText({ type, data }: Pick<Event, 'type' | 'data'>): string {
  const words = sentences[type]
  if (words === undefined) return type
  return typeof words === 'string' ? words : words(data)
}
