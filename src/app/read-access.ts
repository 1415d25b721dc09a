import type { Database } from '../db/open.ts'
import { listRules } from '../domain/policy/store.ts'
import { workedIn } from '../domain/session/query.ts'
import {
  holdingsOf,
  isAdmin,
  mayUseMachine,
  personOf,
  viewerOf,
  type Standing,
  type Viewer,
} from '../domain/user/actor.ts'
import { holdsMachine, isGlobalOwner } from '../domain/user/decide.ts'
import type { UserId } from '../domain/user/id.ts'
import { listNames, listUsers } from '../domain/user/query.ts'
import type { User } from '../domain/user/schema.ts'
import { loadHoldings, ownerNames } from '../domain/user/store.ts'
import { mayUseRepo } from '../domain/workspace/decide.ts'
import type { RepoId } from '../domain/workspace/id.ts'
import type { Repo } from '../domain/workspace/schema.ts'
import { getRepo, listRepos, type LoadedRepo } from '../domain/workspace/store.ts'
import { notFound, ok, type Result } from '../lib/result.ts'
import { outright } from './authorize.ts'
import { needsMachine, programs, whomToAsk } from './rules-machine.ts'
import type { Look } from './views.ts'

/** Repos, and what is kept about workspaces, for whoever may use them. */
export function createAccessReads(deps: {
  database: Database
  behind: <A extends unknown[], T>(
    gate: 'anyone' | 'person' | 'admin',
    look: (viewer: Viewer, who: Standing, ...args: A) => Promise<Result<T>>,
  ) => Look<A, T>
}) {
  const { behind } = deps
  const { read: db } = deps.database

  const usableBy = (who: Standing, { access }: LoadedRepo): boolean =>
    who.actor.kind === 'system' || mayUseRepo(personOf(who.actor), holdingsOf(who), access)

  /** Who may use it is for those to know who may change it. */
  const shown = (who: Standing, repo: LoadedRepo): Repo => (isAdmin(who) ? repo : { ...repo, access: null })

  return {
    /** Those that someone may use; of others they learn nothing. */
    repos: behind('anyone', async (_viewer, who) =>
      ok((await listRepos(db)).filter((repo) => usableBy(who, repo)).map((repo) => shown(who, repo))),
    ),
    repo: behind('anyone', async (_viewer, who, id: RepoId) => {
      const repo = await getRepo(db, id)
      return repo && repo.removedAt === null && usableBy(who, repo) ? ok(shown(who, repo)) : notFound('repo', id)
    }),
    /** The repo of a session that someone may see; also one that was removed. */
    repoOfSession: async (who: Standing, id: RepoId | null): Promise<Repo | null> => {
      const repo = id === null ? undefined : await getRepo(db, id)
      return repo ? shown(who, repo) : null
    },
    /** Repos of which someone hears nothing. */
    hiddenRepos: async (who: Standing): Promise<RepoId[]> =>
      viewerOf(who).sees === 'all'
        ? []
        : (await listRepos(db, { removed: true })).filter((repo) => !usableBy(who, repo)).map(({ id }) => id),
    /** Whether a person may run programs as the server's user at this moment. */
    usesMachine: async (id: UserId): Promise<boolean> => holdsMachine((await loadHoldings(db, id))?.grants ?? []),
    /** Somebody just changed by whoever may not look at them: oneself who left, or a member of a group one administers. */
    changedUser: async (who: Standing, id: UserId): Promise<Result<User>> => {
      const [user] = await listUsers(db, id)
      if (!user) return notFound('user', id)
      if (personOf(who.actor) === id) return ok(user)
      const mine = who.grants.flatMap(({ agentGroupId }) => agentGroupId ?? [])
      return ok({
        ...user,
        identities: [],
        roles: user.roles.filter(({ agentGroupId }) => agentGroupId !== null && mine.includes(agentGroupId)),
        memberOf: user.memberOf.filter((group) => mine.includes(group.agentGroupId)),
      })
    },
    /** Where things lie on this machine is for those who may use it. */
    seesPaths: (who: Standing): boolean => mayUseMachine(who),
    /** For edges that run a program of the configuration, and nothing else. */
    mayRunPrograms: behind('person', async (_viewer, who) => {
      const looksOnly = outright(who)
      if (looksOnly) return looksOnly
      if (mayUseMachine(who)) return ok(null)
      const id = personOf(who.actor)
      const name = (await listNames(db)).find((one) => one.id === id)?.displayName
      return whomToAsk(needsMachine(programs), await ownerNames(db), name ?? 'NAME')
    }),
    /** What someone may do at all, so that nobody is offered what they would be refused. */
    may: (who: Standing) => {
      const acts = who.actor.kind === 'person' && who.actor.scope === 'full'
      return {
        machine: mayUseMachine(who) && (acts || who.actor.kind === 'agent'),
        administer: acts && isAdmin(who),
        grant: acts && isGlobalOwner(who.grants),
      }
    },
    /** Of workspaces one may use, or has worked in. */
    policyRules: behind('person', async (viewer, who, filter: Parameters<typeof listRules>[1]) => {
      const rules = await listRules(db, filter)
      if (viewer.sees === 'all') return ok(rules)
      const usable = (await listRepos(db)).filter((repo) => usableBy(who, repo)).map(({ path }) => path)
      const roots = [...new Set(rules.map(({ workspaceRoot }) => workspaceRoot))]
      const seen = new Set([...usable, ...(await workedIn(db, viewer, roots))])
      return ok(rules.filter(({ workspaceRoot }) => seen.has(workspaceRoot)))
    }),
  }
}
