import * as z from 'zod'
import { Repo, RepoId } from '../../domain/workspace/schema.ts'
import { endpoint } from '../endpoint.ts'

const ById = z.object({ id: RepoId })

export const repoEndpoints = {
  listRepos: endpoint({
    method: 'GET',
    path: '/api/repos',
    tag: 'repos',
    summary: 'Registered repos',
    status: 200,
    response: z.array(Repo),
  }),
  registerRepo: endpoint({
    method: 'POST',
    path: '/api/repos',
    tag: 'repos',
    summary: 'Register a Git repository inside the workspace root',
    status: 201,
    body: z.strictObject({ path: z.string().min(1).max(4096), name: z.string().trim().min(1).max(200).optional() }),
    response: Repo,
  }),
  scanRepos: endpoint({
    method: 'POST',
    path: '/api/repos/scan',
    tag: 'repos',
    summary: 'Find Git repositories below the workspace root and register the new ones',
    status: 200,
    response: z.object({ registered: z.array(Repo), known: z.int() }),
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
  removeRepo: endpoint({
    method: 'DELETE',
    path: '/api/repos/{id}',
    tag: 'repos',
    summary: 'Forget a repo; its files and sessions stay',
    status: 200,
    params: ById,
    response: z.object({ id: RepoId, removed: z.literal(true) }),
  }),
}
