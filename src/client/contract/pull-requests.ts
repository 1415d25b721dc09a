import * as z from 'zod'
import { SessionId } from '../../domain/session/id.ts'
import { endpoint } from '../endpoint.ts'

const ById = () => z.object({ id: SessionId })

/** A name of a branch or remote, which is passed to programs. */
const RefName = z
  .string()
  .min(1)
  .max(250)
  .regex(/^[A-Za-z0-9_][\w./-]*$/, 'must be a name of letters, digits and . / _ -')

const words = {
  title: z
    .string()
    .trim()
    .min(1)
    .max(250)
    .regex(/^[^\p{Cc}]*$/u, 'must be one line')
    .optional()
    .meta({ description: 'Default: the proposed one.' }),
  body: z
    .string()
    .max(60_000)
    .refine((text) => !text.includes('\0'), 'must be text')
    .optional()
    .meta({ description: 'Default: the proposed one.' }),
  into: RefName.optional().meta({
    description: 'Default: the branch that the worktree came from, else the usual one.',
  }),
  remote: RefName.optional().meta({ description: 'Default: the one of the branch, else origin.' }),
}

const Existing = z
  .object({
    number: z.int(),
    url: z.string(),
    title: z.string(),
    state: z.enum(['open', 'merged', 'closed']),
  })
  .meta({ id: 'ExistingPullRequest' })

export const PullRequestPlan = z
  .object({
    forge: z.enum(['github', 'gitlab']),
    tool: z.string(),
    repo: z.string(),
    remote: z.string(),
    address: z.string().meta({ description: 'What is pushed to.' }),
    branch: z.string(),
    commit: z.string(),
    into: z.string().nullable().meta({ description: 'Null: the default branch of the repo there.' }),
    title: z.string(),
    body: z.string(),
    draft: z.boolean(),
    pushed: z.boolean().meta({ description: 'The branch there has this commit already.' }),
    uncommitted: z.int().meta({ description: 'Files that are not committed, and so not part of it.' }),
    existing: Existing.nullable().meta({ description: 'One that the branch has already; an open one first.' }),
    steps: z.array(z.array(z.string())).meta({ description: 'The programs that are run, word by word.' }),
  })
  .meta({ id: 'PullRequestPlan' })
export type PullRequestPlan = z.infer<typeof PullRequestPlan>

export const PullRequestAnswer = z
  .object({
    outcome: z.enum(['opened', 'updated', 'exists']),
    url: z.string(),
    branch: z.string(),
    commit: z.string(),
  })
  .meta({ id: 'PullRequestAnswer' })
export type PullRequestAnswer = z.infer<typeof PullRequestAnswer>

export const pullRequestEndpoints = {
  planPullRequest: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/pull-request/plan',
    tag: 'changes',
    summary: 'What opening a pull request would run, and one that is there already; needs the machine right',
    status: 200,
    params: ById,
    body: () => z.strictObject({ ...words, draft: z.boolean().default(false) }),
    response: PullRequestPlan,
  }),
  openPullRequest: endpoint({
    method: 'POST',
    path: '/api/sessions/{id}/pull-request',
    tag: 'changes',
    summary: 'Push the branch and open a pull request, as planned; needs the machine right',
    status: 200,
    params: ById,
    body: () =>
      z.strictObject({
        ...words,
        draft: z.boolean().default(false),
        commit: z
          .string()
          .regex(/^[0-9a-f]{40,64}$/)
          .meta({ description: 'The commit of the plan.' }),
        address: z.string().min(1).max(1000).meta({ description: 'The address of the plan, to which you agree.' }),
      }),
    response: PullRequestAnswer,
  }),
}
