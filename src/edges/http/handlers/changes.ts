import { api } from '../../../client/contract.ts'
import type { MergeAnswer, WholeChange, WorktreeInfo } from '../../../client/contract/changes.ts'
import type { PullRequestAnswer, PullRequestPlan } from '../../../client/contract/pull-requests.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Requester } from '../../../app/use-cases/requester.ts'
import { ok, type Result } from '../../../lib/result.ts'
import { callerOf, mount, type RouteDeps, type Web } from '../route.ts'

type PullRequestInput = {
  title: string | null
  body: string | null
  into: string | null
  draft: boolean
  remote: string | null
}

/** What HTTP needs of the work of sessions in Git. */
export type ChangeService = {
  change(id: SessionId, by: Requester): Promise<Result<WholeChange>>
  commit(
    id: SessionId,
    input: { message: string | null },
    by: Requester,
  ): Promise<Result<{ commit: string; branch: string; files: number; message: string }>>
  merge(
    id: SessionId,
    input: { how: 'merge' | 'rebase'; into: string | null },
    by: Requester,
  ): Promise<Result<MergeAnswer>>
  findFiles(id: SessionId, input: { q: string; limit: number }, by: Requester): Promise<Result<string[]>>
  planPullRequest(id: SessionId, input: PullRequestInput, by: Requester): Promise<Result<PullRequestPlan>>
  openPullRequest(
    id: SessionId,
    input: PullRequestInput & { agreed: { commit: string; address: string } },
    by: Requester,
  ): Promise<Result<PullRequestAnswer>>
  worktrees(by: Requester): Promise<Result<WorktreeInfo[]>>
  removeWorktree(
    id: SessionId,
    input: { confirm: boolean },
    by: Requester,
  ): Promise<Result<{ removed: boolean; path: string; branchKept: string | null }>>
}

export function mountChanges(web: Web, deps: RouteDeps, changes: ChangeService): void {
  mount(web, deps, api.sessionChange, ({ params }, call) => changes.change(params.id, callerOf(call)))
  mount(web, deps, api.commitSession, ({ params, body }, call) =>
    changes.commit(params.id, { message: body.message ?? null }, callerOf(call)),
  )
  mount(web, deps, api.mergeSession, ({ params, body }, call) =>
    changes.merge(params.id, { how: body.how, into: body.into ?? null }, callerOf(call)),
  )
  mount(web, deps, api.findWorkspaceFiles, async ({ params, query }, call) => {
    const found = await changes.findFiles(params.id, query, callerOf(call))
    return found.ok ? ok({ files: found.value }) : found
  })
  mount(web, deps, api.planPullRequest, ({ params, body }, call) =>
    changes.planPullRequest(params.id, wordsOf(body), callerOf(call)),
  )
  mount(web, deps, api.openPullRequest, ({ params, body: { commit, address, ...body } }, call) =>
    changes.openPullRequest(params.id, { ...wordsOf(body), agreed: { commit, address } }, callerOf(call)),
  )
  mount(web, deps, api.listWorktrees, async (_input, call) => {
    const found = await changes.worktrees(callerOf(call))
    return found.ok ? ok({ worktrees: found.value }) : found
  })
  mount(web, deps, api.removeWorktree, ({ params, body }, call) =>
    changes.removeWorktree(params.id, body, callerOf(call)),
  )
}

type Given = { [F in Exclude<keyof PullRequestInput, 'draft'>]?: string | undefined } & { draft: boolean }

const wordsOf = ({ title, body, into, remote, draft }: Given): PullRequestInput => ({
  title: title ?? null,
  body: body ?? null,
  into: into ?? null,
  remote: remote ?? null,
  draft,
})
