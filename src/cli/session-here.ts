import { sep } from 'node:path'
import type { Client } from '../client/client.ts'
import type { ListedSession } from '../client/contract/sessions.ts'
import type { Session } from '../domain/session/schema.ts'
import { programName } from './program-name.ts'
import { cleanLine } from './clean-text.ts'
import type { Context } from './context.ts'
import { exit, Failure } from './failure.ts'
import { shortener } from './ids.ts'
import { gitRootOf } from './workspace-choice.ts'

/** The only open session in this workspace, for commands without a session argument. */
export async function sessionHere(client: Client, context: Context, cwd = process.cwd()): Promise<Session['id']> {
  const { sessions } = await client.listSessions({
    query: { status: 'created,active,paused,interrupted', limit: 100, view: 'full' },
  })
  const here = context.url === undefined ? await ofThisPlace(client, sessions, cwd) : sessions
  const [only, ...others] = here
  if (only && others.length === 0) return only.id
  if (only) throw severalOf(here, `${here.length} sessions are running here.`, 'Name one of them:')
  if (sessions.length > 0) throw severalOf(sessions, 'No session is running in this workspace.', 'Elsewhere:')
  throw new Failure({
    exit: exit.notFound,
    code: 'session_not_found',
    message: 'No session is running.',
    hint: `Start one: ${programName()} start "what to do"\nEnded sessions: ${programName()} sessions`,
  })
}

async function ofThisPlace(
  client: Client,
  sessions: readonly ListedSession[],
  cwd: string,
): Promise<readonly ListedSession[]> {
  const top = gitRootOf(cwd) ?? cwd
  // A session in a worktree has another directory, but the same repo.
  const repo = (await client.listRepos({})).repos.find(({ path }) => path === top)
  const isBelow = (path: string) => path === top || path.startsWith(top + sep)
  return sessions.filter(({ workspaceRoot, repoId }) => isBelow(workspaceRoot) || (repo && repoId === repo.id))
}

const mostShown = 10

function severalOf(sessions: readonly ListedSession[], message: string, head: string): Failure {
  const short = shortener(sessions.map(({ id }) => id))
  const lines = sessions
    .slice(0, mostShown)
    .map(
      ({ id, agent, protocolMode, status, prompt, title }) =>
        `${programName()} attach ${short(id)}  # ${cleanLine(agent ?? protocolMode)}, ${status}${about((protocolMode === 'terminal' ? title : null) ?? prompt)}`,
    )
  const more =
    sessions.length > mostShown ? [`… and ${sessions.length - mostShown} more: ${programName()} sessions`] : []
  return new Failure({
    exit: exit.usage,
    code: 'ambiguous_id',
    message,
    hint: [head, ...lines, ...more].join('\n'),
  })
}

const about = (what: string | null): string => (what === null ? '' : `: ${cleanLine(what).slice(0, 40)}`)
