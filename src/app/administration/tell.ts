import type { LoadedAsk } from '../../domain/ask/store.ts'
import type { AskSubject } from '../../domain/ask/subject.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import { loadLiveSuccessor } from '../../domain/session/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { Database } from '../../db/open.ts'
import { derivedId } from '../../lib/derived-id.ts'
import type { App } from '../app.ts'
import { TryAgain, type Effect } from './carry-out.ts'
import type { ExpectedAsks } from './expected-asks.ts'
import type { AdministrationPorts } from './ports.ts'

const system: Actor = { kind: 'system', name: 'administration' }

/** Tells the agent how its ask ended: by a new container, as the result of a call that waits, or as a message. */
export function createTelling(deps: {
  app: Pick<App, 'dispatch'>
  database: Pick<Database, 'read'>
  ports: Pick<AdministrationPorts, 'restartAgent'>
  expected: ExpectedAsks
}) {
  const { app, database, ports, expected } = deps

  /** Once, however often it is repeated: the item has an id of its own. */
  async function message({ id, sessionId }: LoadedAsk, text: string): Promise<void> {
    if (sessionId === null || expected.isExpected(id)) return
    const to = (await successorOf(sessionId)) ?? sessionId
    const item = derivedId<QueueItemId>('administration', id)
    const added = await app.dispatch(
      { type: 'queue.add', id: item, sessionId: to, text, when: 'next', waits: true, kept: true },
      system,
    )
    if (!added.ok && added.fault.kind === 'unavailable') throw new TryAgain(added.fault.message)
  }

  async function successorOf(id: SessionId): Promise<SessionId | null> {
    let found: SessionId | null = null
    for (let next = await loadLiveSuccessor(database.read, id); next !== null;) {
      found = next
      next = await loadLiveSuccessor(database.read, next)
    }
    return found
  }

  return {
    async done(ask: LoadedAsk, { text, restarts }: Effect): Promise<void> {
      const { id, sessionId } = ask
      const said = `${wish(ask.subject)} was approved. ${text}`
      if (restarts && sessionId !== null && (await ports.restartAgent(sessionId, { key: id, text: said }))) return
      await message(ask, said)
    },
    failed: (ask: LoadedAsk, reason: string) =>
      message(ask, `${wish(ask.subject)} was approved, but it failed: ${reason} You can ask again.`),
    async refused(ask: LoadedAsk): Promise<void> {
      if (ask.status === 'expired') return message(ask, `${wish(ask.subject)} was not answered in time.`)
      const reason = ask.answer !== null && 'reason' in ask.answer ? ask.answer.reason : null
      await message(ask, `${wish(ask.subject)} was rejected${reason === null ? '.' : `: ${reason}`}`)
    },
  }
}

function wish(subject: AskSubject): string {
  switch (subject.kind) {
    case 'packages':
      return `Installing ${[...subject.apt, ...subject.npm].join(', ')}`
    case 'mcp_server':
      return `Adding the MCP server ${subject.name}`
    case 'create_agent':
      return `Creating the agent ${subject.name}`
    case 'credential':
      return `The credential ${subject.name} for ${subject.host}`
    default:
      return 'Your request'
  }
}
