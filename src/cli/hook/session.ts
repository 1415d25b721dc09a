import type { Client } from '../../client/client.ts'
import { SessionId, type Session } from '../../domain/session/schema.ts'
import { hasEnded } from '../../domain/session/status.ts'
import { realPlace } from '../../lib/look-at-file.ts'
import { exit, Failure } from '../failure.ts'
import type { HookEvent } from './event.ts'

export type OwnSession = {
  readonly id: SessionId
  readonly workspaceRoot: string
  /** The prompt just entered. A prompt continues even a stopped session. */
  readonly prompt?: string
}

/** Claude Code's session, by its own id. Its project is the workspace, whatever its current directory. */
export const sessionOf = ({ session_id, cwd }: HookEvent, env: NodeJS.ProcessEnv): OwnSession => ({
  id: SessionId.parse(session_id),
  workspaceRoot: env['CLAUDE_PROJECT_DIR'] || cwd,
})

/**
 * Runs work in the session. Starts it if it does not exist, and continues it if it has ended: a resumed conversation
 * keeps its id, but an ended session does not come back.
 */
export async function inSession<T>(client: Client, own: OwnSession, work: (id: SessionId) => Promise<T>): Promise<T> {
  try {
    return await work(own.id)
  } catch (error) {
    if (codeOf(error) === 'session_not_found') return work(await start(client, own))
    if (codeOf(error) === 'session_ended') return work(await continueSession(client, own))
    throw error
  }
}

async function start(client: Client, { id, workspaceRoot: named, prompt }: OwnSession): Promise<SessionId> {
  const metadata = { via: 'claude-code-hooks' }
  // Trust is by real path.
  const workspaceRoot = await realPlace(named)
  const body = { id, protocolMode: 'mcp' as const, workspaceRoot, agent: 'claude-code', metadata }
  try {
    const started = await client.startSession({ body: { ...body, ...(prompt && { prompt }) } })
    await warnIfUntrusted(client, started.id)
    return await pauseStallDetection(client, started.id)
  } catch (error) {
    // A concurrent hook started it first.
    if (codeOf(error) === 'session_already_exists') return id
    throw error
  }
}

async function continueSession(client: Client, { id, prompt }: OwnSession): Promise<SessionId> {
  const last = await newestOf(client, id)
  if (!hasEnded(last.status)) return last.id
  if (prompt === undefined && last.status !== 'completed') throw stopped(last.status)
  try {
    const body = prompt === undefined ? {} : { prompt }
    const next = await client.restartSession({ params: { id: last.id }, body })
    return await pauseStallDetection(client, next.id)
  } catch (error) {
    if (codeOf(error) === 'already_continued') return (await newestOf(client, id)).id
    throw error
  }
}

/** At the start of a session: tells why its policy does not apply. */
async function warnIfUntrusted(client: Client, sessionId: SessionId): Promise<void> {
  // An agent's token may not read policies.
  const policy = await client.getPolicy({ query: { sessionId } }).catch(() => null)
  if (policy && policy.trust === null && policy.path !== null)
    process.stderr.write('The policy in this directory is not trusted yet: signalbox policy trust\n')
}

/** Claude Code sends nothing between hooks, so silence does not mean a stall. */
async function pauseStallDetection(client: Client, id: SessionId): Promise<SessionId> {
  // Only people may; with an agent's token, stall detection stays on.
  await client.watchSession({ params: { id }, body: { paused: true } }).catch(() => null)
  return id
}

/** The newest session of the lineage. */
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
