import type { Client } from '../client/client.ts'
import { programName } from './program-name.ts'
import { cleanLine } from './clean-text.ts'
import { exit, Failure } from './failure.ts'
import { shortener } from './ids.ts'
import { relativeTime } from './times.ts'

const mostAsked = 30
const mostShown = 8

/** If all slots are taken, adds the idle sessions and how to end them. Other errors pass unchanged. */
export async function withIdleSessions(refusal: unknown, client: Client, now: number): Promise<unknown> {
  if (!(refusal instanceof Error) || !('code' in refusal) || refusal.code !== 'session_limit') return refusal
  const hint = 'hint' in refusal && typeof refusal.hint === 'string' ? refusal.hint : ''
  const idle = await idleSessions(client).catch(() => [])
  if (idle.length === 0) return refusal
  const short = shortener(idle.map(({ id }) => id))
  const lines = idle.slice(0, mostShown).map(({ id, agent, protocolMode, lastActivityAt, updatedAt, prompt }) => {
    const about = prompt === null ? '' : `: ${cleanLine(prompt).slice(0, 40)}`
    const since = relativeTime(lastActivityAt ?? updatedAt, now)
    return `${programName()} stop ${short(id)} # ${cleanLine(agent ?? protocolMode)}, ${since}${about}`
  })
  return new Failure({
    exit: exit.limited,
    code: 'session_limit',
    message: refusal.message,
    hint: [hint, idle.length === 1 ? '1 is idle:' : `${idle.length} are idle:`, ...lines].join('\n'),
    cause: refusal,
  })
}

async function idleSessions(client: Client) {
  const { sessions } = await client.listSessions({ query: { status: 'active', limit: mostAsked } })
  const causes = await Promise.all(
    sessions.map(({ id }) =>
      client.diagnoseSession({ params: { id } }).then(
        ({ cause }) => cause,
        () => null,
      ),
    ),
  )
  return sessions.filter((_, index) => causes[index] === 'idle')
}
