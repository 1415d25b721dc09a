import { confirmedRules, listRules } from '../../domain/policy/store.ts'
import { loadObservation, trustedWorkspaces, trustOf } from '../../domain/policy/store-trust.ts'
import { workedIn } from '../../domain/session/query.ts'
import { holdingsOf, isAdmin, mayUseMachine, personOf, viewerOf, type Standing } from '../../domain/user/actor.ts'
import { holdsMachine, isGlobalOwner } from '../../domain/user/decide.ts'
import type { UserId } from '../../domain/user/id.ts'
import { listNames, listUsers } from '../../domain/user/query.ts'
import type { User } from '../../domain/user/schema.ts'
import { loadHoldings, ownerNames } from '../../domain/user/store.ts'
import { mayUseRepo } from '../../domain/workspace/decide.ts'
import type { RepoId } from '../../domain/workspace/id.ts'
import type { Repo } from '../../domain/workspace/schema.ts'
import { getRepo, listRepos, type LoadedRepo } from '../../domain/workspace/store.ts'
import { notFound, ok, type Result } from '../../lib/result.ts'
import { outright } from '../authorize.ts'
import { needsMachine, programs, whomToAsk } from '../rules-machine.ts'
import type { ReadContext } from './context.ts'

/** Repos, workspaces and their policies, for people who may use them. */
export function createAccessReads({ database, behind, settings }: ReadContext) {
  const { read: db } = database

  const usableBy = (who: Standing, { access }: LoadedRepo): boolean =>
    who.actor.kind === 'system' || mayUseRepo(personOf(who.actor), holdingsOf(who), access)

  /** Visible only to people who may change the access. */
  const shown = (who: Standing, repo: LoadedRepo): Repo => (isAdmin(who) ? repo : { ...repo, access: null })

  return {
    /** Repos that someone may use; others stay unknown to them. */
    repos: behind('anyone', async (_viewer, who) =>
      ok((await listRepos(db)).filter((repo) => usableBy(who, repo)).map((repo) => shown(who, repo))),
    ),
    repo: behind('anyone', async (_viewer, who, id: RepoId) => {
      const repo = await getRepo(db, id)
      return repo && repo.removedAt === null && usableBy(who, repo) ? ok(shown(who, repo)) : notFound('repo', id)
    }),
    /** The repo of a session that the caller may see, even if the repo was removed. */
    repoOfSession: async (who: Standing, id: RepoId | null): Promise<Repo | null> => {
      const repo = id === null ? undefined : await getRepo(db, id)
      return repo ? shown(who, repo) : null
    },
    /** Repos whose events the caller does not get. */
    hiddenRepos: async (who: Standing): Promise<RepoId[]> =>
      viewerOf(who).sees === 'all'
        ? []
        : (await listRepos(db, { removed: true })).filter((repo) => !usableBy(who, repo)).map(({ id }) => id),
    /** Whether a person may run programs as the server's user now. */
    usesMachine: async (id: UserId): Promise<boolean> => holdsMachine((await loadHoldings(db, id))?.grants ?? []),
    /** For a caller who just changed a person they may not see: themselves after leaving, or a member of their or the agent's group. */
    changedUser: async (who: Standing, id: UserId): Promise<Result<User>> => {
      const [user] = await listUsers(db, id)
      if (!user) return notFound('user', id)
      if (who.actor.kind === 'person' && who.actor.userId === id) return ok(user)
      const mine = who.cli ? [who.cli.agentGroupId] : who.grants.flatMap(({ agentGroupId }) => agentGroupId ?? [])
      return ok({
        ...user,
        identities: [],
        roles: user.roles.filter(({ agentGroupId }) => agentGroupId !== null && mine.includes(agentGroupId)),
        memberOf: user.memberOf.filter((group) => mine.includes(group.agentGroupId)),
      })
    },
    /** Paths on this machine are for people with the machine right. */
    seesPaths: (who: Standing): boolean => mayUseMachine(who),
    /** For edges that run a program from the configuration. */
    mayRunPrograms: behind('person', async (_viewer, who) => {
      const looksOnly = outright(who)
      if (looksOnly) return looksOnly
      if (mayUseMachine(who)) return ok(null)
      const id = personOf(who.actor)
      const name = (await listNames(db)).find((one) => one.id === id)?.displayName
      return whomToAsk(needsMachine(programs), await ownerNames(db), name ?? 'NAME')
    }),
    /** What the caller may do, so that the dashboard offers nothing that would be refused. */
    may: (who: Standing) => {
      const acts = who.actor.kind === 'person' && who.actor.scope === 'full'
      return {
        machine: mayUseMachine(who) && (acts || who.actor.kind === 'agent'),
        administer: acts && isAdmin(who),
        grant: acts && isGlobalOwner(who.grants),
      }
    },
    /** Rules of workspaces that the caller may use, or has worked in. */
    policyRules: behind('person', async (viewer, who, filter: Parameters<typeof listRules>[1]) => {
      const rules = await listRules(db, filter)
      if (viewer.sees === 'all') return ok(rules)
      const usable = (await listRepos(db)).filter((repo) => usableBy(who, repo)).map(({ path }) => path)
      const roots = [...new Set(rules.map(({ workspaceRoot }) => workspaceRoot))]
      const seen = new Set([...usable, ...(await workedIn(db, viewer, roots))])
      return ok(rules.filter(({ workspaceRoot }) => seen.has(workspaceRoot)))
    }),
    confirmedRules: (workspaceRoot: string) => confirmedRules(db, workspaceRoot),
    /** Who trusted a workspace; null if nobody did. */
    trust: (workspaceRoot: string) => trustOf(db, workspaceRoot, settings().vouched),
    observedPolicy: (workspaceRoot: string) => loadObservation(db, workspaceRoot),
    trustedWorkspaces: behind('admin', async () => ok(await trustedWorkspaces(db))),
  }
}
