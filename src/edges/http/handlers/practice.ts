import { authorizeAction } from '../../../app/authorize-action.ts'
import { api } from '../../../client/contract.ts'
import type { Sessions } from '../../../app/use-cases/start-session.ts'
import { RepoId } from '../../../domain/workspace/schema.ts'
import { newId } from '../../../lib/id.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { callerOf, mount, type Call, type RouteDeps, type Web } from '../route.ts'

export type PracticeDeps = {
  sessions: Pick<Sessions, 'start'>
  /** The practice repo, created if it is missing. */
  practiceRepo(): Promise<Result<{ path: string }>>
}

const system = { kind: 'system' as const, name: 'practice' }
const agent = 'practice'
const prompt = 'Show me around'

/** A first session for people who have nothing set up yet. */
export function mountPractice(web: Web, deps: RouteDeps, { sessions, practiceRepo }: PracticeDeps): void {
  const { app } = deps

  mount(web, deps, api.startPractice, async (_input, call) => {
    const { actor, standing } = call.caller
    const person = await app.read.isPerson(standing)
    if (!person.ok) return person
    const refused = authorizeAction(actor, 'practice.start')
    if (refused) return refused
    const located = await practiceRepo()
    if (!located.ok) return located
    const repoId = await repoAt(call, located.value.path)
    if (!repoId.ok) return repoId
    const wanted = { protocolMode: 'acp' as const, repoId: repoId.value, prompt, agent, mode: 'remote' as const }
    const started = await sessions.start({ ...wanted, worktree: false, metadata: {} }, callerOf(call))
    return started.ok ? app.read.session(standing, started.value) : started
  })

  /** Registered by the system, so that nobody needs a role for it. */
  async function repoAt({ caller }: Call, path: string): Promise<Result<RepoId>> {
    const repos = await app.read.repos(caller.standing)
    if (!repos.ok) return repos
    const known = repos.value.find((repo) => repo.path === path)
    if (known) return ok(known.id)
    const id = newId<RepoId>()
    const done = await app.dispatch({ type: 'repo.register', id, name: 'signalbox-practice', path }, system)
    if (done.ok) return ok(RepoId.parse(done.value.subject))
    // Registered by someone else in the meantime.
    const found = RepoId.safeParse(done.fault.details?.['repoId'])
    return found.success ? ok(found.data) : done
  }
}
