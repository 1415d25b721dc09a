import { randomUUID } from 'node:crypto'
import type { Ask } from '../../conformance/shapes.ts'
import { command } from '../../conformance/work.ts'
import { until } from '../../support/until.ts'
import type { Cast, ChatMatrixSetup, ChatSubject, Speaking } from './setup.ts'

type Prepare = (setup: ChatMatrixSetup, cast: Cast) => Promise<ChatSubject>

/** How a row is done, and how it is known that it was. */
export type ChatSpec = {
  readonly on: Prepare
  use(by: Speaking, subject: ChatSubject): void
  /** What somebody is told for whom it works; null if nobody is told. */
  readonly says: RegExp | null
  /** Only what somebody sees who may see the session has it. */
  readonly marker?: (subject: ChatSubject) => string
  /** For everyone in the thread. */
  readonly aloud?: true
  /** It changes its subject: each caller for whom it works gets another. */
  readonly fresh?: true
  readonly done?: (subject: ChatSubject, setup: ChatMatrixSetup) => Promise<boolean>
}

const aSession: Prepare = (setup, cast) => setup.session(cast)
const noSubject: Prepare = async (_setup, { self }) => ({
  id: '',
  short: '',
  marker: '',
  root: '',
  of: '',
  card: null,
  self,
})

/** A slash command opens no thread, and the agent group has one session in the channel itself. */
const noneRuns: Prepare = async (setup, cast) => {
  await setup.look.change(
    `update sessions set status = 'cancelled' where thread_id is null and messaging_group_id is not null`,
  )
  return noSubject(setup, cast)
}

const paused: Prepare = async (setup, cast) => {
  const subject = await setup.session(cast)
  await subject.self.post(`/api/sessions/${subject.id}/pause`)
  return subject
}

/** An agent of ours, which can be started again. */
const hosted =
  (ended: boolean): Prepare =>
  async (setup, cast) => {
    const subject = await setup.session(cast, { protocolMode: 'acp', agent: 'practice', prompt: undefined })
    const status = async () => (await setup.api.get<{ status: string }>(`/api/sessions/${subject.id}`)).status
    await until(async () => (await status()) === 'active', { what: 'the practice agent' })
    if (ended) await subject.self.post(`/api/sessions/${subject.id}/complete`)
    return subject
  }

const withQueued: Prepare = async (setup, cast) => {
  const subject = await setup.session(cast)
  const item = await subject.self.post<{ id: string }>(`/api/sessions/${subject.id}/prompt`, {
    text: 'Paint it green',
    when: 'later',
  })
  return { ...subject, of: item.id.replaceAll('-', '').slice(-8) }
}

const withCheckpoint: Prepare = async (setup, cast) => {
  const subject = await setup.session(cast)
  const { id } = await subject.self.post<{ id: string }>(`/api/sessions/${subject.id}/checkpoints`)
  return { ...subject, of: id }
}

type Question = { readonly title?: string; readonly subject: object }

const withAsk =
  (asked: Question = { subject: command }): Prepare =>
  async (setup, cast) => {
    const subject = await setup.session(cast)
    const agent = await setup.agentOf(subject)
    const { id } = await agent.post<Ask>(`/api/sessions/${subject.id}/asks`, { title: 'May I?', ...asked })
    const card = await setup.harness.shown(subject.root, ({ buttons }) => buttons.length > 0, 'a card')
    return { ...subject, of: id, card }
  }

const withAlert: Prepare = async (setup, cast) => {
  const subject = await setup.session(cast)
  const id = randomUUID()
  const at = new Date().toISOString()
  await setup.look.change(
    `insert into stall_alerts (id, session_id, cause, last_activity_at, idle_seconds, nudge_count, status, created_at)
     values (?, ?, 'silent', ?, 60, 0, 'pending', ?)`,
    id,
    subject.id,
    at,
    at,
  )
  // What is open is announced when the session comes back to the chat.
  for (const mode of ['local', 'remote'])
    await subject.self.post(`/api/sessions/${subject.id}/operational-mode`, { mode })
  const card = await setup.harness.shown(subject.root, ({ buttons }) => buttons.length > 0, 'an alert')
  return { ...subject, of: id, card }
}

/** `self` gave a command that two sessions fit, and was asked which one. */
const withChoice: Prepare = async (setup, cast) => {
  const word = `barn-${randomUUID().slice(0, 8)}`
  const { self } = cast.people
  const before = self.told().length
  const subject = await setup.session(cast, { prompt: `Paint the ${word}` })
  await setup.session(cast, { prompt: `Mend the ${word}` })
  self.commands(`stop ${word}`)
  const shown = await until(() => self.told()[before], { what: 'a choice' })
  const [action = ''] = new RegExp(`pick:[\\w-]+:${subject.id.slice(-8)}`).exec(shown) ?? []
  const card = {
    id: '1.000001',
    chat: setup.harness.driver.chat,
    text: shown,
    buttons: [{ label: 'pick', action }],
    files: [],
  }
  return { ...subject, card }
}

const statusIs =
  (wanted: string): NonNullable<ChatSpec['done']> =>
  async ({ id }, { api }) =>
    (await api.get<{ status: string }>(`/api/sessions/${id}`)).status === wanted
const queueHas =
  (text: string, isThere = true): NonNullable<ChatSpec['done']> =>
  async ({ id }, { api }) =>
    JSON.stringify(await api.get(`/api/sessions/${id}/queue`)).includes(text) === isThere
const answered =
  (outcome: string): NonNullable<ChatSpec['done']> =>
  async ({ of: id }, { api }) =>
    (await api.get<{ answer: { outcome: string } | null }>(`/api/asks/${id}`)).answer?.outcome === outcome
const alertIs =
  (status: string): NonNullable<ChatSpec['done']> =>
  async ({ of: id }, { api }) =>
    (await api.get<{ status: string }>(`/api/alerts/${id}`)).status === status

/** `/signalbox …`; ID is the session, OF what belongs to it. */
const slash = (text: string, says: RegExp, more: Partial<ChatSpec> = {}): ChatSpec => ({
  on: aSession,
  use: (by, subject) => by.commands(filledIn(text, subject)),
  says,
  ...more,
})
/** A mention in the thread of the session. */
const mention = (text: string, says: RegExp, more: Partial<ChatSpec> = {}): ChatSpec => ({
  on: aSession,
  use: (by, subject) => by.mentions(filledIn(text, subject), subject.root),
  says,
  ...more,
})
/** Words in the thread, without a mention. */
const reply = (text: string, on: Prepare, done: NonNullable<ChatSpec['done']>): ChatSpec => ({
  on,
  use: (by, { root }) => by.says(text, root),
  says: null,
  done,
})
const filledIn = (text: string, { short, of }: ChatSubject): string => text.replace('ID', short).replace('OF', of)

const actionOf = ({ card }: ChatSubject, label: string): string => {
  const button = card?.buttons.find((one) => one.label === label)
  if (!button) throw new Error(`no button ${label} in ${JSON.stringify(card?.buttons)}`)
  return button.action
}
const button = (label: string, on: Prepare, says: RegExp | null, done?: ChatSpec['done']): ChatSpec => ({
  on,
  use: (by, subject) => subject.card && by.presses(subject.card, actionOf(subject, label)),
  says,
  ...(done && { done }),
})
const form = (label: string, text: string, on: Prepare, done: NonNullable<ChatSpec['done']>): ChatSpec => ({
  on,
  use: (by, subject) => subject.card && by.submits(subject.card, actionOf(subject, label), text),
  says: null,
  done,
})

const prompt = { subject: { kind: 'prompt', text: 'Go on?' } }
const wait = { subject: { kind: 'wait', message: 'Done. What next?' } }
const elicitation = { subject: { kind: 'elicitation', message: 'Which one?', schema: { type: 'object' } } }
const question = {
  subject: { kind: 'question', question: 'Which?', options: [{ label: 'blue', value: 'blue' }], freeText: false },
}
const marker = ({ marker: word }: ChatSubject): string => word
const started = /^Session \w+ started\.$/

/** By the name of the row. */
export const specs: Readonly<Record<string, ChatSpec>> = {
  '/signalbox help': slash('help', /`stop \[SESSION\]/, { on: noSubject }),
  '/signalbox agents': slash('agents', /./, { on: noSubject, marker: () => 'Practice (agent group)' }),
  '/signalbox sessions': slash('sessions', /./, { marker }),
  '/signalbox start': slash('start hello', started, { on: noneRuns, fresh: true }),
  '/signalbox start ~ no agent group': slash('start tools hello', started, { on: noneRuns, fresh: true }),
  '/signalbox stop': slash('stop ID', / stopped session /, { done: statusIs('cancelled') }),
  '/signalbox restart': slash('restart ID', / continues as /, { on: hosted(false), fresh: true }),
  '/signalbox continue': slash('continue ID', / continues as /, { on: hosted(true), fresh: true }),
  '/signalbox pause': slash('pause ID', / paused session /, { done: statusIs('paused') }),
  '/signalbox resume': slash('resume ID', / resumed session /, { on: paused, done: statusIs('active') }),
  '/signalbox steer': slash('steer ID use tabs', /^Sent; /, { done: queueHas('use tabs') }),
  '/signalbox steer ~ now': slash('steer ID --now use tabs', /^Sent; /, { done: queueHas('use tabs') }),
  '/signalbox task': slash('task ID write docs', /^Queued; /, { done: queueHas('write docs') }),
  '/signalbox queue': slash('queue ID', /Paint it green/, { on: withQueued }),
  '/signalbox checkpoint': slash('checkpoint ID', / saved as checkpoint /, { fresh: true }),
  '/signalbox restore': slash('restore OF', /^Nothing has changed/, { on: withCheckpoint }),
  '/signalbox restore ~ confirmed': slash('restore OF --yes', /[Rr]estored|[Nn]othing/, {
    on: withCheckpoint,
    fresh: true,
  }),
  '/signalbox files': slash('files ID', /^No files changed/),
  '/signalbox show': slash('show ID', /"title"|Owner/, { marker }),
  '/signalbox show ~ an ask': slash('show OF', /May I\?/, { on: withAsk() }),
  '/signalbox run': slash('run mark ID', /exit code/),
  '/signalbox link': slash('link', /Code: `[A-Z2-9]{4}-/, { on: noSubject }),
  '/signalbox link ~ a wrong code': slash('link ABCD-2345', /code/i, { on: noSubject }),
  '/signalbox who': slash('who', /^You are /, { on: noSubject }),
  '/signalbox ~ no such command': slash('fly', /^There is no command/, { on: noSubject }),

  'mention stop': mention('stop', / stopped session /, { aloud: true, done: statusIs('cancelled') }),
  'mention steer': mention('steer use tabs', /^Sent; /, { done: queueHas('use tabs') }),
  'mention queue': mention('queue', /Paint it green/, { on: withQueued }),
  'mention queue ~ drop': mention('queue drop OF', /^Removed/, { on: withQueued, done: queueHas('waiting', false) }),
  'mention who': mention('who', /^You are /, { marker: ({ short }) => short }),
  'mention sessions': mention('sessions', /./, { marker }),

  'reply approve': reply('approve', withAsk(), answered('approve')),
  'reply reject': reply('reject not now', withAsk(), answered('reject')),
  'reply continue': reply('continue', withAsk(prompt), answered('continue')),
  'reply refine': reply('refine the docs', withAsk(prompt), answered('refine')),
  'reply stop': reply('stop', withAsk(prompt), answered('stop')),
  'reply resume': reply('resume and test it', withAsk(wait), answered('resume')),
  'reply decline': reply('decline', withAsk(question), answered('decline')),
  'reply option': reply('blue', withAsk(question), answered('reply')),

  'ask approve': button('Approve', withAsk(), null, answered('approve')),
  'ask reject': button('Reject', withAsk(), /^Rejected without a reason/, answered('reject')),
  'ask reject ~ by a form': form('Reject', 'not now', withAsk(), answered('reject')),
  'ask continue': button('Continue', withAsk(prompt), null, answered('continue')),
  'ask refine': button('Refine…', withAsk(prompt), /refine WHAT/),
  'ask refine ~ by a form': form('Refine…', 'the docs', withAsk(prompt), answered('refine')),
  'ask stop': button('Stop', withAsk(prompt), null, answered('stop')),
  'ask resume': button('Resume', withAsk(wait), null, answered('resume')),
  'ask decline': button('Decline', withAsk(elicitation), null, answered('decline')),
  'ask option': button('blue', withAsk(question), null, answered('reply')),
  pick: button('pick', withChoice, / stopped session /, statusIs('cancelled')),
  'alert nudge': button('Nudge', withAlert, null, alertIs('nudged')),
  'alert stop': button('Stop session', withAlert, null, statusIs('cancelled')),
  'alert dismiss': button('Dismiss', withAlert, null, alertIs('dismissed')),
}
