import * as z from 'zod'
import { AskId } from '../../domain/ask/schema.ts'
import { Credential, CredentialId } from '../../domain/credential/schema.ts'
import { AgentGroupId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'
import { count } from './parts.ts'

export const administrationEndpoints = {
  getAskLog: endpoint({
    method: 'GET',
    path: '/api/asks/{id}/log',
    tag: 'asks',
    summary: 'What happened while an approved ask was carried out, such as the build of an image',
    status: 200,
    params: () => z.object({ id: AskId }),
    query: () => z.strictObject({ after: count(0, 1_000_000_000, 0) }),
    response: () =>
      z.object({
        lines: z.array(z.object({ seq: z.int(), at: z.iso.datetime(), text: z.string() })),
        next: z.int().meta({ description: 'Use as `after` to get the lines that follow.' }),
      }),
  }),
  listCredentials: endpoint({
    method: 'GET',
    path: '/api/agent-groups/{id}/credentials',
    tag: 'agent groups',
    summary: 'Credentials that requests of an agent group get, without their values',
    status: 200,
    params: () => z.object({ id: AgentGroupId }),
    response: () => z.object({ credentials: z.array(Credential) }),
  }),
  revokeCredential: endpoint({
    method: 'DELETE',
    path: '/api/agent-groups/{id}/credentials/{credentialId}',
    tag: 'agent groups',
    summary: 'Revoke a credential and delete its value',
    status: 200,
    params: () => z.object({ id: AgentGroupId, credentialId: CredentialId }),
    response: () => z.object({ id: CredentialId, removed: z.literal(true) }),
  }),
}
