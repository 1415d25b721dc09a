import type { Client } from '../../client/client.ts'
import type { Answer, Outcome } from '../../domain/ask/answer.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { programName } from '../program-name.ts'
import { exactLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import { findAsk } from '../find-by-id.ts'
import { fillForm } from '../form-answer.ts'
import { readAll } from '../read-all.ts'
import { askSecretly } from '../terminal/ask-secretly.ts'
import { makeAnswer } from '../make-answer.ts'
import { secretWarning } from '../secret-warning.ts'
import { printResult } from '../print-result.ts'
import type { answerFlags } from '../table/work.ts'
import { whoAnswered } from '../settled-ask.ts'

export const answer: Handler<typeof answerFlags> = async (
  { args: [text = '', outcome = '', ...words], flags },
  context,
) => {
  const asksForValue = outcome === 'reply' && words.length === 0
  // The parser accepts only listed outcomes.
  const { reason, always, group, 'for-session': forSession } = flags
  const made = () => makeAnswer({ outcome: outcome as Outcome, words, reason, always, forSession, group })
  const early = asksForValue ? null : made()
  const { client } = await context.api()
  const id = await findAsk(client, text)
  const given = early ?? (await credentialFor(id, client, context)) ?? made()
  const said = flags.yes && given.outcome === 'reply' ? { ...given, confirmed: true } : given
  const body = said.outcome === 'accept' ? await fitted(said, { id, words, client }) : said
  const ask = await answerOrExplain(id, body, client, context)
  const { subject } = ask
  if (outcome === 'reply' && subject.kind === 'credential' && words.length > 0 && !context.json)
    context.out.note('The value may be in the history of your shell. Leave it out, and it is asked for without echo.')
  if (outcome === 'reply' && subject.kind === 'terminal_prompt' && subject.secret && !context.json)
    context.out.note(secretWarning(ask.sessionId ?? 'ID'))
  const proposed =
    flags.always && outcome === 'approve'
      ? `\nIf a rule fits, it is suggested. It applies once confirmed: ${programName()} policy rules`
      : ''
  printResult(context, ask, ({ title, status, votes, needed }) =>
    status === 'open'
      ? `Counted: ${votes.length} of ${needed} approvals for "${exactLine(title)}".`
      : `Answered "${exactLine(title)}" with ${outcome}${status === 'applying' ? '; applying it now' : ''}.${proposed}`,
  )
}

/** The value of a credential, typed without echo or read from standard input; null for other asks. */
async function credentialFor(id: Ask['id'], client: Client, context: Context): Promise<Answer | null> {
  const { subject } = await client.getAsk({ params: { id } })
  if (subject.kind !== 'credential') return null
  const value =
    context.keyboard === null
      ? (await readAll(process.stdin)).replace(/\r?\n$/, '')
      : await askSecretly(`${exactLine(subject.name)} for ${exactLine(subject.host)}: `)
  if (value === null) throw new Failure({ exit: exit.interrupted, code: 'given_up', message: 'Nothing was typed.' })
  return { outcome: 'reply', value }
}

type Accept = Extract<Answer, { outcome: 'accept' }>
type FormRequest = { id: Ask['id']; words: readonly string[]; client: Client }

/** Form answers are checked against the form. */
async function fitted(said: Accept, { id, words, client }: FormRequest): Promise<Accept> {
  const { subject } = await client.getAsk({ params: { id } })
  if (subject.kind !== 'elicitation') return said
  return { ...said, content: fillForm(subject.schema, words, said.content) }
}

async function answerOrExplain(id: Ask['id'], body: Answer, client: Client, context: Context): Promise<Ask> {
  try {
    return await client.answerAsk({ params: { id }, body })
  } catch (error) {
    const isUnconfirmed = error instanceof Error && 'code' in error && error.code === 'danger_not_confirmed'
    if (isUnconfirmed && body.outcome === 'reply' && context.keyboard !== null)
      return answerOrExplain(id, await askedAgain(id, body, client, context), client, context)
    const isLate = error instanceof Error && 'code' in error && error.code === 'already_answered'
    throw (isLate ? await lostRace(error, id, client, context) : null) ?? error
  }
}

/** A dangerous prompt is shown with its danger before anything is typed into it. */
async function askedAgain(id: Ask['id'], body: Answer, client: Client, context: Context): Promise<Answer> {
  const { subject } = await client.getAsk({ params: { id } })
  if (subject.kind !== 'terminal_prompt' || body.outcome !== 'reply') return body
  context.out.note(
    `It asks: ${exactLine(subject.promptText)}\nDangerous: ${exactLine(subject.dangerReason ?? 'it may do damage')}.`,
  )
  await confirmed(context, subject.secret ? 'Type it?' : `Type "${exactLine(body.value)}"?`, 'add --yes')
  return { ...body, confirmed: true }
}

/** Someone answered first: report who, when and how. */
async function lostRace(error: Error, id: Ask['id'], client: Client, context: Context): Promise<Failure | null> {
  const ask = await client.getAsk({ params: { id } })
  const words = await whoAnswered(ask, client, context.now())
  if (words === null) return null
  return new Failure({
    exit: exit.conflict,
    code: 'already_answered',
    message: `${words}; your answer was not used.`,
    hint: `See it with: signalbox asks show ${id}`,
    cause: error,
  })
}
