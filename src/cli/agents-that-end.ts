import type { Client } from '../client/client.ts'
import { cleanLine } from './clean-text.ts'
import { shortener } from './ids.ts'
import { relativeTime } from './times.ts'

const mostShown = 10

/** A line for each agent that ends with the server. */
export async function agentsThatEnd(client: Client, now: number): Promise<string[]> {
  const { sessions } = await client.listSessions({ query: { status: 'active,paused', view: 'full', limit: 100 } })
  const running = sessions.filter(({ protocolMode, sleepingSince }) => protocolMode === 'acp' && sleepingSince === null)
  const short = shortener(running.map(({ id }) => id))
  const lines = running
    .slice(0, mostShown)
    .map(({ id, agent, activity, status, prompt, lastActivityAt, updatedAt }) => {
      const about = prompt === null ? '' : `: ${cleanLine(prompt).slice(0, 60)}`
      return `  ${short(id)}  ${cleanLine(agent ?? 'agent')}, ${activity ?? status}, ${relativeTime(lastActivityAt ?? updatedAt, now)}${about}`
    })
  return running.length > mostShown ? [...lines, `  and ${running.length - mostShown} more`] : lines
}
