import type { Client } from '../../client/client.ts'
import type { Answer, Outcome } from '../../domain/ask/answer.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit } from '../exit.ts'
import { Failure } from '../failure.ts'
import { findAsk } from '../find.ts'
import { makeAnswer } from '../make-answer.ts'
import { namesOfPeople } from '../people.ts'
import { show } from '../show.ts'
import type { answerFlags } from '../table/work.ts'
import { relativeTime } from '../times.ts'
import { actorWords } from '../words.ts'

export const answer: Handler<typeof answerFlags> = async (
  { args: [text = '', outcome = '', ...words], flags },
  context,
) => {
  // The table lists the outcomes, and the parser took no other word.
  const body = makeAnswer({ outcome: outcome as Outcome, words, reason: flags.reason, always: flags.always })
  const { client } = await context.api()
  const id = await findAsk(client, text)
  const ask = await answerOrExplain(id, body, client, context)
  show(context, ask, ({ title, status, votes, needed }) =>
    status === 'open'
      ? `Counted: ${votes.length} of ${needed} consents for "${title}".`
      : `Answered "${title}" with ${outcome}${status === 'applying' ? '; it is being applied' : ''}.`,
  )
}

async function answerOrExplain(id: Ask['id'], body: Answer, client: Client, context: Context): Promise<Ask> {
  try {
    return await client.answerAsk({ params: { id }, body })
  } catch (error) {
    const isLate = error instanceof Error && 'code' in error && error.code === 'already_answered'
    throw (isLate ? await lostRace(error, id, client, context) : null) ?? error
  }
}

/** Somebody was quicker: say who, when and how. */
async function lostRace(error: Error, id: Ask['id'], client: Client, context: Context): Promise<Failure | null> {
  const ask = await client.getAsk({ params: { id } })
  if (!ask.answer || ask.answeredBy === null) return null
  const who = actorWords(ask.answeredBy, await namesOfPeople(client))
  const when = relativeTime(ask.answeredAt, context.now())
  return new Failure({
    exit: exit.conflict,
    code: 'already_answered',
    message: `${who} answered this ask ${when} with ${ask.answer.outcome}; your answer was not used.`,
    hint: `See it with: signalbox asks show ${id}`,
    cause: error,
  })
}
