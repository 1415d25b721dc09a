import type { App } from '../../../app/app.ts'
import type { Requester } from '../../../app/use-cases/requester.ts'
import type { CheckpointId } from '../../../domain/checkpoint/id.ts'
import type { MergeAnswer, WholeChange, WorktreeInfo } from '../../../client/contract/changes.ts'
import type { AgentAbout } from '../../../domain/agent/about.ts'
import type { Session, SessionCommand, SessionId } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import type { Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/id.ts'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../../lib/result.ts'
import type { Logger } from '../../../lib/log.ts'
import { branchAt, openAt, removeWorktree, worktreeState, listWorktrees } from '../worktree.ts'
import { readLink } from '../worktree-link.ts'
import { changeOf, proposedMessage } from './change.ts'
import { proposedRequest } from './proposed-request.ts'
import { mergeOf, rebaseOf } from './combine.ts'
import { commitAll, noBranch, type Author } from './commit.ts'
import { createFileFinder } from './find-files.ts'
import type { ForgeKind } from './forge.ts'
import { finishMoves, moveBranches, whyNotClean, type Move } from './move-branches.ts'
import { openPullRequest, planPullRequest, type Agreed, type PullRequestInput } from './pull-request.ts'
import { commitOf, headOf, isAncestor, longestGit, openSessionRepo } from './session-repo.ts'

type SteerCommand = Extract<SessionCommand, { type: 'session.steer' }>
type OwnWorktree = NonNullable<AgentAbout['worktree']>

export type GitLifeDeps = {
  app: App
  clock: Clock
  log: Logger
  /** Where indexes, objects and notes of our own are. */
  scratch: string
  /** Which hosts are GitHub or GitLab, besides those whose name says so. */
  forges: Readonly<Record<string, ForgeKind>>
  locateAgain(path: string): Promise<Result<void>>
  /** Whether the directory is still the one in which the session began. */
  sameDirectory(path: string, mark: string | null): Promise<boolean>
}

export type GitLife = ReturnType<typeof createGitLife>

/** The work of a session in Git: seen, committed, merged, removed (B16). */
export function createGitLife({ app, clock, log, scratch, forges, locateAgain, sameDirectory }: GitLifeDeps) {
  const findFiles = createFileFinder(clock)
  /** One at a time in each repo: branches are moved only from where they were, so others are refused, not lost. */
  const turns = createKeyedQueue()

  /** The session, if the caller may see it and its owner may still work in its directory. */
  async function seen(id: SessionId, { standing }: Requester): Promise<Result<Session>> {
    const found = await app.read.session(standing, id)
    if (!found.ok) return found
    const session = found.value
    const owner = { kind: 'person' as const, userId: session.ownerUserId, scope: 'full' as const }
    const refused = await app.permits(filesOf(id), await app.read.standing(owner))
    if (refused) return refused
    const place = await locateAgain(session.workspaceRoot)
    if (!place.ok) return place
    if (!(await sameDirectory(session.workspaceRoot, await app.read.workspaceMark(id)))) return fail(replaced)
    return found
  }

  /** The same, if the caller may also change what is there. */
  async function allowed(id: SessionId, what: SteerCommand['what'], by: Requester): Promise<Result<Session>> {
    const shown = await app.read.session(by.standing, id)
    if (!shown.ok) return shown
    const refused = await app.permits({ type: 'session.steer', id, what, detail: null }, by.standing)
    return refused ?? seen(id, by)
  }

  /** Recorded before it happens, so that the audit never misses it. */
  const recorded =
    (id: SessionId, what: SteerCommand['what'], { actor }: Requester) =>
    async (detail: string): Promise<Failed | null> => {
      const done = await app.dispatch({ type: 'session.steer', id, what, detail: detail.slice(0, 500) }, actor)
      return done.ok ? null : done
    }

  async function worktreeOf(id: SessionId): Promise<OwnWorktree | null> {
    const row = await app.read.agent(id)
    return (row?.about as Partial<AgentAbout> | undefined)?.worktree ?? null
  }

  /** The operator's own name in Git for owners of this server; the person's name for others. */
  async function authorOf({ standing }: Requester, operator: Author | null): Promise<Author> {
    const { name, ownsServer } = await app.read.committer(standing)
    return operator !== null && ownsServer ? operator : { name, email: 'signalbox@localhost' }
  }

  async function change(id: SessionId, by: Requester): Promise<Result<WholeChange>> {
    const session = await seen(id, by)
    if (!session.ok) return session
    const { workspaceRoot, createdAt, prompt } = session.value
    const worktree = await worktreeOf(id)
    const origin = worktree?.from ?? null
    const found = await changeOf({ root: workspaceRoot, origin, startedAt: createdAt, scratch })
    if (!found.ok) return found
    const others = (await app.read.liveSessionsIn(workspaceRoot)).filter((one) => one !== id)
    return ok({
      ...found.value,
      worktree: worktree !== null,
      proposedMessage: proposedMessage(prompt, found.value.files),
      sharedWith: hasEnded(session.value.status) ? 0 : others.length,
    })
  }

  async function commit(id: SessionId, { message }: { message: string | null }, by: Requester) {
    const session = await allowed(id, 'commit', by)
    if (!session.ok) return session
    const { workspaceRoot: root } = session.value
    const opened = await openSessionRepo(root)
    if (!opened.ok) return opened
    const { repo } = opened.value
    const author = await authorOf(by, repo.operator)
    return turns.run(repo.layout.commonDir, async () => {
      let words = message
      if (words === null) {
        const now = await change(id, by)
        if (!now.ok) return now
        words = now.value.proposedMessage
      }
      const text = `${words}\n\nSignalbox-Session: ${id}\n`
      const done = await commitAll({ root, message: text, author, scratch, before: recorded(id, 'commit', by) })
      return done.ok ? ok({ ...done.value, message: words }) : done
    })
  }

  async function merge(
    id: SessionId,
    input: { how: 'merge' | 'rebase'; into: string | null },
    by: Requester,
  ): Promise<Result<MergeAnswer>> {
    const session = await allowed(id, input.how, by)
    if (!session.ok) return session
    const worktree = await worktreeOf(id)
    if (worktree === null) return fail(noWorktree)
    const place = await locateAgain(worktree.repo)
    if (!place.ok) return place
    const opened = await openSessionRepo(worktree.path)
    if (!opened.ok) return opened
    const { commonDir } = opened.value.repo.layout
    return turns.run(commonDir, () => mergeNow(id, worktree, input, by))
  }

  async function mergeNow(
    id: SessionId,
    worktree: OwnWorktree,
    { how, into: wanted }: { how: 'merge' | 'rebase'; into: string | null },
    by: Requester,
  ): Promise<Result<MergeAnswer>> {
    const opened = await openSessionRepo(worktree.path)
    if (!opened.ok) return opened
    const at = opened.value
    const { repo } = at
    const { git, layout } = repo
    const main = await openAt(worktree.repo)
    if (!main.ok) return main
    if (main.value.repo.layout.commonDir !== layout.commonDir) return fail(replaced)
    const head = await headOf(at)
    if (!head.ok) return head
    const { branch, commit: tip } = head.value
    if (branch === null) return fail(noBranch)
    const into = wanted ?? worktree.from?.branch ?? (await branchAt(main.value.repo.git))
    const onto = into === null ? null : await commitOf(git, `refs/heads/${into}`)
    if (into === null || onto === null || into === branch) return noTarget(into)
    const unclean = await whyNotClean(at, tip, scratch)
    if (unclean) return unclean.fault.code === 'uncommitted_changes' ? fail(commitFirst(id, worktree.path)) : unclean
    if (await isAncestor(git, tip, onto)) return ok({ outcome: 'nothing', branch, into })
    const author = await authorOf(by, repo.operator)
    const writing = (env?: Readonly<Record<string, string>>) =>
      repo.with({ write: [layout.commonDir], timeMs: longestGit, ...(env && { env }) })
    const combine = { git: writing, onto, tip, author }
    const message = `Merge branch '${branch}' into ${into}\n\nSignalbox-Session: ${id}\n`
    const done = how === 'merge' ? await mergeOf({ ...combine, message }) : await rebaseOf(combine)
    if (!done.ok) return done
    const { value } = done
    if (value.kind === 'conflict')
      return ok({ outcome: 'conflict', branch, into, at: value.at, conflicts: value.conflicts })
    const rebased = how === 'rebase' && value.commit !== tip
    const used = (await listWorktrees(git)).filter((entry) => entry.branch === into)
    const move: Move = {
      repo: worktree.repo,
      refs: [
        { branch: into, old: onto, next: value.commit },
        ...(rebased ? [{ branch, old: tip, next: value.commit }] : []),
      ],
      trees: [
        ...used.map(({ path }) => ({ path, old: onto, next: value.commit })),
        ...(rebased ? [{ path: at.top, old: tip, next: value.commit }] : []),
      ],
    }
    const detail = `${branch} into ${into} (${value.commit.slice(0, 10)})`
    const moved = await moveBranches(move, { scratch, before: recorded(id, how, by), detail })
    if (!moved.ok) return moved
    return ok({ outcome: 'merged', commit: value.commit, branch, into, fastForward: value.fastForward })
  }

  /** What a pull request of the session is made from. */
  async function publication(id: SessionId, by: Requester) {
    const session = await allowed(id, 'pull_request', by)
    if (!session.ok) return session
    const now = await change(id, by)
    if (!now.ok) return now
    const { commits, files, uncommitted } = now.value
    const { prompt, workspaceRoot: root } = session.value
    const proposed = proposedRequest({ prompt, commits, files })
    const from = (await worktreeOf(id))?.from?.branch ?? null
    return ok({ root, from, proposed, uncommitted, scratch, hosts: forges })
  }

  async function planRequest(id: SessionId, input: PullRequestInput, by: Requester) {
    const place = await publication(id, by)
    return place.ok ? planPullRequest(place.value, input) : place
  }

  async function openRequest(
    id: SessionId,
    { agreed, ...input }: PullRequestInput & { agreed: Agreed },
    by: Requester,
  ) {
    const place = await publication(id, by)
    if (!place.ok) return place
    const opened = await openSessionRepo(place.value.root)
    if (!opened.ok) return opened
    // The second of two at once finds what the first one opened.
    return turns.run(opened.value.repo.layout.commonDir, () =>
      openPullRequest(place.value, input, agreed, recorded(id, 'pull_request', by)),
    )
  }

  async function worktrees({ standing }: Requester): Promise<Result<WorktreeInfo[]>> {
    const rows = await app.read.worktrees(standing)
    if (!rows.ok) return rows
    const found: WorktreeInfo[] = []
    for (const { sessionId, path, repo, status } of rows.value) {
      if ((await readLink(path)) === null) continue
      const state = await worktreeState({ repo, path })
      if (state.ok && !state.value.exists) continue
      const branch = (await worktreeOf(sessionId))?.branch ?? null
      found.push({ sessionId, path, repo, status, branch, lost: state.ok ? state.value.lost : state.fault.message })
    }
    return ok(found)
  }

  async function remove(id: SessionId, { confirm }: { confirm: boolean }, by: Requester) {
    const what = 'remove_worktree'
    const shown = await app.read.session(by.standing, id)
    if (!shown.ok) return shown
    const refused = await app.permits({ type: 'session.steer', id, what, detail: null }, by.standing)
    if (refused) return refused
    const worktree = await worktreeOf(id)
    if (worktree === null) return fail(noWorktree)
    const { path, repo } = worktree
    const place = await locateAgain(path)
    if (!place.ok) return place
    const using = await app.read.liveSessionsIn(path)
    if (using.length > 0) return fail(inUse(using))
    const state = await worktreeState({ repo, path })
    if (!state.ok && !confirm) return state
    if (state.ok && !state.value.exists) return notFound('worktree', path)
    const lost = state.ok ? state.value.lost : null
    if (lost !== null && !confirm) return fail(wouldLose(path, worktree.branch, lost))
    const denied = await recorded(id, what, by)(path)
    if (denied) return denied
    const done = await removeWorktree({ repo, path, discard: confirm })
    if (!done.ok) return done
    const { removed, kept, branch } = done.value
    if (!removed) return fail(wouldLose(path, worktree.branch, kept ?? 'It is gone.'))
    return ok({ removed, path, branchKept: branch ?? null })
  }

  return {
    change,
    commit,
    /** Files of its workspace whose names match, for whoever types one. */
    async findFiles(
      id: SessionId,
      { q, limit }: { q: string; limit: number },
      by: Requester,
    ): Promise<Result<string[]>> {
      const session = await seen(id, by)
      return session.ok ? findFiles(session.value.workspaceRoot, q, limit) : session
    },
    merge,
    planPullRequest: planRequest,
    openPullRequest: openRequest,
    worktrees,
    removeWorktree: remove,
    /** Finishes the merges of a server that was killed. */
    async resume() {
      const finished = await finishMoves(scratch)
      if (finished.length > 0) log.info({ repos: finished }, 'finished a merge that was interrupted')
    },
  }
}

/** Asks whether the files may be used at all. */
const filesOf = (sessionId: SessionId) => ({
  type: 'checkpoint.record' as const,
  id: newId<CheckpointId>(),
  sessionId,
  label: null,
  reason: 'person' as const,
  tree: '',
  restorePoint: '',
  fileCount: 0,
  notKept: { count: 0, files: [] },
})

const replaced = {
  kind: 'forbidden' as const,
  code: 'path_violation',
  message: 'The workspace is no longer the directory in which the session began.',
  hint: 'Put it back, or start a new session.',
}

const noWorktree = {
  kind: 'invalid' as const,
  code: 'no_worktree',
  message: 'This session has no worktree of its own, so there is nothing to merge or remove.',
  hint: 'Start a session with a worktree: signalbox start --worktree',
}

const noTarget = (into: string | null): Failed =>
  fail({
    kind: 'invalid',
    code: 'branch_not_found',
    message: into === null ? 'The branch it came from is unknown.' : `Can't merge into the branch ${into}.`,
    hint: 'Name an existing branch other than its own: signalbox merge SESSION --into BRANCH',
  })

const commitFirst = (id: SessionId, path: string) => ({
  kind: 'conflict' as const,
  code: 'uncommitted_changes',
  message: `${path} has uncommitted changes. Nothing was changed.`,
  hint: `Commit them first: signalbox commit ${id.slice(0, 8)}`,
})

const inUse = (sessions: readonly SessionId[]) => ({
  kind: 'conflict' as const,
  code: 'worktree_in_use',
  message: 'A session still works there.',
  hint: 'End it first.',
  details: { sessions },
})

const wouldLose = (path: string, branch: string, lost: string) => ({
  kind: 'conflict' as const,
  code: 'work_would_be_lost',
  message: `${path} was not removed. ${lost}`,
  hint: 'Commit and merge it, or confirm that it may be lost.',
  details: { path, branch, lost },
})
