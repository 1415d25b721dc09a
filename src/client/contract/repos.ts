import * as z from 'zod'
import { Repo, RepoId } from '../../domain/workspace/schema.ts'
import { AgentGroupId, UserId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'

const ById = z.object({ id: RepoId })

export const repoEndpoints = {
  listRepos: endpoint({
    method: 'GET',
    path: '/api/repos',
    tag: 'repos',
    summary: 'Registered repos that you can use',
    status: 200,
    response: () => z.object({ repos: z.array(Repo) }),
  }),
  registerRepo: endpoint({
    method: 'POST',
    path: '/api/repos',
    tag: 'repos',
    summary: 'Register a Git repository inside the workspace root',
    status: 201,
    body: () =>
      z.strictObject({ path: z.string().min(1).max(4096), name: z.string().trim().min(1).max(200).optional() }),
    response: Repo,
  }),
  scanRepos: endpoint({
    method: 'POST',
    path: '/api/repos/scan',
    tag: 'repos',
    summary: 'Find Git repositories below the workspace root and register the new ones',
    status: 200,
    response: () => z.object({ registered: z.array(Repo), known: z.int() }),
  }),
  getRepo: endpoint({
    method: 'GET',
    path: '/api/repos/{id}',
    tag: 'repos',
    summary: 'A repo',
    status: 200,
    params: ById,
    response: Repo,
  }),
  setRepoAccess: endpoint({
    method: 'PUT',
    path: '/api/repos/{id}/access',
    tag: 'repos',
    summary: 'Set who can use a repo: everyone, or these people and members of these agent groups',
    status: 200,
    params: ById,
    body: () =>
      z.strictObject({
        everyone: z.boolean(),
        users: z.array(UserId).max(1000).default([]),
        agentGroups: z.array(AgentGroupId).max(1000).default([]),
      }),
    response: Repo,
  }),
  removeRepo: endpoint({
    method: 'DELETE',
    path: '/api/repos/{id}',
    tag: 'repos',
    summary: 'Forget a repo; its files and sessions stay',
    status: 200,
    params: ById,
    response: () => z.object({ id: RepoId, removed: z.literal(true) }),
  }),
}
