import { basename } from 'node:path'
import { api } from '../../../client/contract.ts'
import type { Repo, RepoId } from '../../../domain/workspace/schema.ts'
import { newId } from '../../../lib/id.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { listed } from '../listed.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

export type RepoDeps = {
  locateRepo(path: string): Promise<Result<{ path: string }>>
  findRepos(): Promise<Result<string[]>>
}

export function mountRepos(web: Web, deps: RouteDeps, { locateRepo, findRepos }: RepoDeps): void {
  const { app } = deps

  async function register(
    call: ApiCall,
    path: string,
    name: string,
    once: ApiCall['once'] = {},
  ): Promise<Result<Repo>> {
    const command = { type: 'repo.register' as const, id: newId<RepoId>(), name, path }
    const done = await app.dispatch(command, call.caller.actor, once)
    return done.ok ? app.read.repo(call.caller.standing, done.value.subject as RepoId) : done
  }

  mount(web, deps, api.listRepos, (_input, { caller }) => listed('repos', app.read.repos(caller.standing)))
  mount(web, deps, api.getRepo, ({ params }, { caller }) => app.read.repo(caller.standing, params.id))

  mount(web, deps, api.registerRepo, async ({ body }, call) => {
    // Checked before the disk is read, so that nobody else can probe it.
    const allowed = await app.read.mayAdminister(call.caller.standing)
    if (!allowed.ok) return allowed
    const located = await locateRepo(body.path)
    if (!located.ok) return located
    return register(call, located.value.path, body.name ?? basename(located.value.path), call.once)
  })

  mount(web, deps, api.scanRepos, async (_input, call) => {
    const allowed = await app.read.mayAdminister(call.caller.standing)
    if (!allowed.ok) return allowed
    const found = await findRepos()
    if (!found.ok) return found
    const registered: Repo[] = []
    let known = 0
    for (const path of found.value) {
      const repo = await register(call, path, basename(path))
      if (repo.ok) registered.push(repo.value)
      else if (repo.fault.code === 'repo_exists') known += 1
      else return repo
    }
    return ok({ registered, known })
  })

  mount(web, deps, api.setRepoAccess, async ({ params, body }, call) => {
    const done = await app.dispatch({ type: 'repo.set_access', id: params.id, ...body }, call.caller.actor, call.once)
    return done.ok ? app.read.repo(call.caller.standing, params.id) : done
  })

  mount(web, deps, api.removeRepo, async ({ params }, call) => {
    const done = await app.dispatch({ type: 'repo.remove', id: params.id }, call.caller.actor)
    return done.ok ? ok({ id: params.id, removed: true as const }) : done
  })
}
