import type { Client } from '../client/client.ts'
import type { Ask } from '../domain/ask/schema.ts'
import { namesOfPeople } from './people.ts'
import { relativeTime } from './times.ts'
import { actorText } from './display-text.ts'

/** Who answered first, when and how. Null if nobody did. */
export async function whoAnswered(
  { answer, answeredBy, answeredAt }: Pick<Ask, 'answer' | 'answeredBy' | 'answeredAt'>,
  client: Client,
  now: number,
): Promise<string | null> {
  if (!answer || answeredBy === null) return null
  const who = actorText(answeredBy, await namesOfPeople(client))
  return `${who} answered this ask ${relativeTime(answeredAt, now)} with ${answer.outcome}`
}

/** The outcome of an ask that is no longer open. */
export async function outcomeText(id: Ask['id'], client: Client, now: number): Promise<string> {
  const ask = await client.getAsk({ params: { id } }).catch(() => null)
  if (!ask) return 'Already answered or withdrawn.'
  const words = await whoAnswered(ask, client, now)
  if (words !== null) return `${words}.`
  return ask.status === 'cancelled' ? 'It was withdrawn.' : `Already ${ask.status}.`
}
