import type { Client } from '../client/client.ts'
import type { Ask } from '../domain/ask/schema.ts'
import { namesOfPeople } from './people.ts'
import { relativeTime } from './times.ts'
import { actorWords } from './words.ts'

/** Somebody was quicker: who, when and how. Null where nobody answered. */
export async function whoAnswered(
  { answer, answeredBy, answeredAt }: Pick<Ask, 'answer' | 'answeredBy' | 'answeredAt'>,
  client: Client,
  now: number,
): Promise<string | null> {
  if (!answer || answeredBy === null) return null
  const who = actorWords(answeredBy, await namesOfPeople(client))
  return `${who} answered this ask ${relativeTime(answeredAt, now)} with ${answer.outcome}`
}

/** What became of an ask that was taken away. */
export async function whatBecame(id: Ask['id'], client: Client, now: number): Promise<string> {
  const ask = await client.getAsk({ params: { id } }).catch(() => null)
  if (!ask) return 'It is answered or withdrawn already.'
  const words = await whoAnswered(ask, client, now)
  if (words !== null) return `${words}.`
  return ask.status === 'cancelled' ? 'It was withdrawn.' : `It is ${ask.status} already.`
}
