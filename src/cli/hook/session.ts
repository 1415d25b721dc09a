import type { Client } from '../../client/client.ts'
import { SessionId, type Session } from '../../domain/session/schema.ts'
import { hasEnded } from '../../domain/session/status.ts'
import { realPlace } from '../../lib/look-at-file.ts'
import { exit } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { HookEvent } from './event.ts'

export type OwnSession = {
  readonly id: SessionId
  readonly workspaceRoot: string
  /** What its person just said: whoever speaks goes on, even where the session was stopped. */
  readonly prompt?: string
}

/** Claude Code's session under its own id; its project counts as the workspace, wherever it has gone since. */
export const sessionOf = ({ session_id, cwd }: HookEvent, env: NodeJS.ProcessEnv): OwnSession => ({
  id: SessionId.parse(session_id),
  workspaceRoot: env['CLAUDE_PROJECT_DIR'] || cwd,
})

/**
 * Does something in the session, which is started where there is none, and continued where it has ended: a conversation
 * that is taken up again keeps its id, a session that ended does not come back.
 */
export async function within<T>(client: Client, own: OwnSession, work: (id: SessionId) => Promise<T>): Promise<T> {
  try {
    return await work(own.id)
  } catch (error) {
    if (codeOf(error) === 'session_not_found') return work(await start(client, own))
    if (codeOf(error) === 'session_ended') return work(await goOn(client, own))
    throw error
  }
}

async function start(client: Client, { id, workspaceRoot: named, prompt }: OwnSession): Promise<SessionId> {
  const metadata = { via: 'claude-code-hooks' }
  // As it is trusted: by where it really is.
  const workspaceRoot = await realPlace(named)
  const body = { id, protocolMode: 'mcp' as const, workspaceRoot, agent: 'claude-code', metadata }
  try {
    const started = await client.startSession({ body: { ...body, ...(prompt && { prompt }) } })
    await sayIfUntrusted(client, started.id)
    return await unwatched(client, started.id)
  } catch (error) {
    // Another hook of the same moment was quicker.
    if (codeOf(error) === 'session_already_exists') return id
    throw error
  }
}

async function goOn(client: Client, { id, prompt }: OwnSession): Promise<SessionId> {
  const last = await newestOf(client, id)
  if (!hasEnded(last.status)) return last.id
  if (prompt === undefined && last.status !== 'completed') throw stopped(last.status)
  try {
    const body = prompt === undefined ? {} : { prompt }
    const next = await client.restartSession({ params: { id: last.id }, body })
    return await unwatched(client, next.id)
  } catch (error) {
    if (codeOf(error) === 'already_continued') return (await newestOf(client, id)).id
    throw error
  }
}

/** Once, when the session begins: why a policy that is there answers nothing. */
async function sayIfUntrusted(client: Client, sessionId: SessionId): Promise<void> {
  // An agent's token may not look.
  const policy = await client.getPolicy({ query: { sessionId } }).catch(() => null)
  if (policy && policy.trust === null && policy.path !== null)
    process.stderr.write('The policy in this directory is not trusted yet: signalbox policy trust\n')
}

/** Between two hooks Claude Code says nothing, at work or not: its silence is no stall. */
async function unwatched(client: Client, id: SessionId): Promise<SessionId> {
  // Only people may; for an agent's token it stays watched.
  await client.watchSession({ params: { id }, body: { paused: true } }).catch(() => null)
  return id
}

/** The session that goes on for this one, or the last of them that ended. */
export async function newestOf(client: Client, id: SessionId): Promise<Pick<Session, 'id' | 'status'>> {
  const first = await client.getSession({ params: { id } })
  const newest = first.lineage.at(-1) ?? id
  return newest === id ? first : client.getSession({ params: { id: newest } })
}

export const sessionStopped = 'session_stopped'

const stopped = (status: Session['status']): Failure =>
  new Failure({
    exit: exit.conflict,
    code: sessionStopped,
    message: `The session was stopped in Signalbox (${status}).`,
    hint: 'The next prompt at the terminal continues as a new session.',
  })

export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
