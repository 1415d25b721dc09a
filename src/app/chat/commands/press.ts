import type { Answer } from '../../../domain/ask/answer.ts'
import type { AlertId } from '../../../domain/alert/schema.ts'
import type { AskId } from '../../../domain/ask/id.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { Command } from '../../command.ts'
import { answerOf } from '../button-answer.ts'
import { askAction, readAction, type AlertVerb, type AskVerb, type CardAction } from '../card-actions.ts'
import type { Caller, ChatCommandsDeps, SaidAt } from './call.ts'
import type { GiveAnswer } from './give-answer.ts'
import { isNotTheirs, ownersOnly } from '../owners-only.ts'
import { privately, refusal, type Reply } from './reply.ts'
import { seeing } from '../seeing.ts'

/** One text field that a person fills in. */
export type AnswerForm = {
  readonly action: string
  readonly title: string
  readonly label: string
  readonly submit: string
}

/** `form`: open it, and send what is submitted to `submit`. */
export type Pressed = { readonly reply: Reply; readonly form: AnswerForm | null }

export type PressedButton = SaidAt & {
  readonly action: string
  readonly messageId: string
  /** Whether a form can be opened here. Without one, people are asked to reply in words. */
  readonly forms: boolean
}

export type SubmittedForm = SaidAt & { readonly action: string; readonly messageId: string; readonly text: string }

export type Presses = {
  press(pressed: PressedButton, by: Caller): Promise<Pressed>
  submit(submitted: SubmittedForm, by: Caller): Promise<Reply>
}

const said = (reply: Reply): Pressed => ({ reply, form: null })
export const unknownButton = privately('This button no longer works.')

export function createPresses({ app }: ChatCommandsDeps, { give, refused }: GiveAnswer): Presses {
  async function pressAsk(
    id: AskId,
    pressed: AskVerb | number,
    { forms }: PressedButton,
    by: Caller,
  ): Promise<Pressed> {
    const ask = await app.read.ask(by.standing, id)
    if (!ask.ok) {
      const hidden = await app.read.ask(seeing, id)
      return said(hidden.ok ? refusal(await ownersOnly(app, hidden.value.sessionId)) : unknownButton)
    }
    const meant = answerOf(ask.value.subject, pressed)
    if (meant === null) return said(unknownButton)
    const needsText = 'needsText' in meant
    const answer: Answer = needsText ? { outcome: 'refine', instruction: '…' } : meant.answer
    const no = await refused(id, answer, by)
    if (no) return said(no.reply)
    if (pressed === 'reject' && forms) return { reply: null, form: rejectForm(id) }
    if (!needsText) {
      const reply = await give(id, answer, by, 'pressed')
      return said(reply ?? (pressed === 'reject' ? howToGiveReason : null))
    }
    return forms ? { reply: null, form: refineForm(id, meant.needsText) } : said(howToRefine)
  }

  async function pressAlert(id: AlertId, verb: AlertVerb, { inboxId }: PressedButton, by: Caller): Promise<Reply> {
    const alert = await app.read.alert(seeing, id)
    if (!alert.ok) return unknownButton
    const { sessionId, closedAt } = alert.value
    const theirs = await app.read.alert(by.standing, id)
    if (!theirs.ok) return refusal(await ownersOnly(app, sessionId))
    if (closedAt !== null) return privately('This alert is closed. Nothing was changed.')
    const commands: Record<AlertVerb, Command> = {
      nudge: { type: 'alert.nudge', id, itemId: derivedId<QueueItemId>(inboxId, 'nudge'), message: null },
      stop: { type: 'session.cancel', id: sessionId, reason: null },
      dismiss: { type: 'alert.dismiss', id },
    }
    const done = await app.dispatch(commands[verb], by.actor, by.once)
    if (done.ok) return null
    return refusal(isNotTheirs(done.fault) ? await ownersOnly(app, sessionId) : done.fault)
  }

  return {
    async press(pressed, by) {
      const action: CardAction | null = readAction(pressed.action)
      if (action === null || action.on === 'pick') return said(unknownButton)
      if (action.on === 'alert') return said(await pressAlert(action.id, action.verb, pressed, by))
      return pressAsk(action.id, 'option' in action ? action.option : action.verb, pressed, by)
    },

    async submit({ action: text, text: words }, by) {
      const action = readAction(text)
      if (action?.on !== 'ask' || !('verb' in action)) return unknownButton
      const more = words.trim()
      if (action.verb === 'reject') return give(action.id, { outcome: 'reject', reason: more || null }, by, 'pressed')
      if (action.verb !== 'refine') return unknownButton
      if (more === '') return privately('Refine needs text: what should the agent do instead?')
      return give(action.id, { outcome: 'refine', instruction: more }, by, 'pressed')
    },
  }
}

const rejectForm = (id: AskId): AnswerForm => ({
  action: askAction(id, 'reject'),
  title: 'Reject',
  label: 'Reason (optional)',
  submit: 'Reject',
})

const refineForm = (id: AskId, label: string): AnswerForm => ({
  action: askAction(id, 'refine'),
  title: 'Refine',
  label,
  submit: 'Send',
})

const howToGiveReason = privately(
  'Rejected without a reason. Next time, to give one, reply to the card: `reject REASON`',
)
const howToRefine = privately('To refine, reply to the card or in its thread: `refine WHAT TO DO INSTEAD`')
