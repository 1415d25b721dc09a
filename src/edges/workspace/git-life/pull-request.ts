import { join } from 'node:path'
import type { PullRequestAnswer, PullRequestPlan } from '../../../client/contract/pull-requests.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { noBranch, type Before } from './commit.ts'
import { forgeOf, openArgs, pushAddress, toolOf, withoutUser, type Forge, type ForgeKind } from './forge.ts'
import { openPublisher, pushArgs, type Publisher } from './publish.ts'
import { headOf, openSessionRepo } from './session-repo.ts'

export type PullRequestInput = {
  readonly title: string | null
  readonly body: string | null
  readonly into: string | null
  readonly draft: boolean
  readonly remote: string | null
}

/** What a person has seen and agreed to. */
export type Agreed = { readonly commit: string; readonly address: string }

type Place = {
  readonly root: string
  /** The branch that the worktree came from. */
  readonly from: string | null
  readonly proposed: { readonly title: string; readonly body: string }
  readonly uncommitted: number
  readonly scratch: string
  readonly hosts: Readonly<Record<string, ForgeKind>>
}

type Found = { plan: PullRequestPlan; forge: Forge; objects: string }

/** What would be run, and what is there already. Nothing is changed. */
async function look(place: Place, input: PullRequestInput, publisher: Publisher, at: Target): Promise<Result<Found>> {
  const { forge, address, branch, commit, objects, remote } = at
  const refused = await publisher.signedIn(forge)
  if (refused) return refused
  const existing = await publisher.find(forge, branch)
  if (!existing.ok) return existing
  const there = await publisher.remoteCommit(address, branch)
  if (!there.ok) return there
  const into = input.into ?? place.from
  if (into === branch) return fail(sameBranch(branch))
  const title = input.title ?? place.proposed.title
  const body = input.body ?? place.proposed.body
  const words = { branch, into, title, body, draft: input.draft }
  const isPushed = there.value === commit
  const isOpen = existing.value?.state === 'open'
  const steps = [
    ...(isPushed ? [] : [pushArgs({ address, commit, branch })]),
    ...(isOpen ? [] : [openArgs(forge, words)]),
  ]
  const plan: PullRequestPlan = {
    forge: forge.kind,
    tool: toolOf[forge.kind],
    repo: `${forge.host}/${forge.path}`,
    remote,
    address,
    branch,
    commit,
    into,
    title,
    body,
    draft: input.draft,
    pushed: isPushed,
    uncommitted: place.uncommitted,
    existing: existing.value,
    steps,
  }
  return ok({ plan, forge, objects })
}

type Target = {
  readonly forge: Forge
  readonly remote: string
  readonly address: string
  readonly branch: string
  readonly commit: string
  readonly objects: string
}

/** The branch of the session, and where it is pushed to. */
async function targetOf({ root, hosts }: Place, wanted: string | null): Promise<Result<Target>> {
  const opened = await openSessionRepo(root)
  if (!opened.ok) return opened
  const { repo } = opened.value
  const head = await headOf(opened.value)
  if (!head.ok) return head
  const { branch, commit } = head.value
  if (branch === null) return fail(noBranch)
  const { remotes, upstreams } = repo.published
  const names = [...remotes.keys()]
  const remote = wanted ?? upstreams.get(branch) ?? (names.includes('origin') ? 'origin' : names[0])
  const url = remote === undefined ? undefined : remotes.get(remote)
  if (remote === undefined || url === undefined) return noRemote(remote, names)
  const forge = forgeOf(url, hosts)
  if (!forge.ok) return forge
  const objects = join(repo.layout.commonDir, 'objects')
  return ok({ forge: forge.value, remote, address: pushAddress(url), branch, commit, objects })
}

export async function planPullRequest(place: Place, input: PullRequestInput): Promise<Result<PullRequestPlan>> {
  const target = await targetOf(place, input.remote)
  if (!target.ok) return target
  const publisher = await openPublisher(place.scratch, target.value.forge)
  if (!publisher.ok) return publisher
  await using tools = publisher.value
  const found = await look(place, input, tools, target.value)
  return found.ok ? ok(found.value.plan) : found
}

/** Pushes the branch and opens the pull request, if both are still what was agreed to. */
export async function openPullRequest(
  place: Place,
  input: PullRequestInput,
  agreed: Agreed,
  before: Before,
): Promise<Result<PullRequestAnswer>> {
  const target = await targetOf(place, input.remote)
  if (!target.ok) return target
  const publisher = await openPublisher(place.scratch, target.value.forge)
  if (!publisher.ok) return publisher
  await using tools = publisher.value
  const found = await look(place, input, tools, target.value)
  if (!found.ok) return found
  const { plan, forge, objects } = found.value
  const { address, branch, commit, existing } = plan
  if (agreed.commit !== commit || agreed.address !== address) return fail(changedSince)
  const isOpen = existing?.state === 'open'
  if (plan.pushed && isOpen) return ok({ outcome: 'exists', url: existing.url, branch, commit })
  const refused = await before(`${branch} at ${withoutUser(address)}`)
  if (refused) return refused
  if (!plan.pushed) {
    const failed = await tools.push({ address, commit, branch, objects })
    if (failed) return failed
  }
  if (isOpen) return ok({ outcome: 'updated', url: existing.url, branch, commit })
  const opened = await tools.open(forge, plan)
  if (!opened.ok) return afterPush(opened, branch)
  return ok({ outcome: 'opened', url: opened.value, branch, commit })
}

const afterPush = ({ fault }: Failed, branch: string): Failed =>
  fail({ ...fault, hint: fault.hint ?? `The branch ${branch} is pushed. Try again, or open it at the forge.` })

const noRemote = (remote: string | undefined, names: readonly string[]): Failed =>
  fail({
    kind: 'invalid',
    code: 'no_remote',
    message: remote === undefined ? 'The repository has no remote.' : `The repository has no remote ${remote}.`,
    hint:
      names.length === 0 ? 'Add one: git remote add origin ADDRESS' : `Its remotes: ${names.slice(0, 20).join(', ')}.`,
  })

const sameBranch = (branch: string) => ({
  kind: 'invalid' as const,
  code: 'same_branch',
  message: `The change is on ${branch} itself, so there is nothing to merge.`,
  hint: 'Start sessions with a worktree: signalbox start --worktree',
})

const changedSince = {
  kind: 'conflict' as const,
  code: 'change_moved',
  message: 'The branch or its remote changed since you looked. Nothing was pushed.',
  hint: 'Look again.',
}
