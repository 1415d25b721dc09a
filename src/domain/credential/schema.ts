import * as z from 'zod'
import { AskId } from '../ask/id.ts'
import type { DataOf } from '../slice/events.ts'
import { AgentGroupId, UserId } from '../user/id.ts'
import { CredentialId } from './id.ts'

export { CredentialId }

/** A secret that requests of an agent group to one host get. Nobody can read its value again. */
export const Credential = z
  .object({
    id: CredentialId,
    agentGroupId: AgentGroupId,
    host: z.string(),
    name: z.string(),
    grantedBy: UserId.nullable(),
    grantedAt: z.iso.datetime(),
    askId: AskId.nullable().meta({ description: 'The ask that it was granted with.' }),
  })
  .meta({ id: 'Credential' })
export type Credential = z.infer<typeof Credential>

const where = { agentGroupId: AgentGroupId, host: z.string().max(253), name: z.string().max(100) }

export const CredentialCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('credential.grant'),
    id: CredentialId,
    ...where,
    sealed: z.string(),
    by: UserId.nullable(),
    askId: AskId,
  }),
  z.object({ type: z.literal('credential.revoke'), id: CredentialId }),
])
export type CredentialCommand = z.infer<typeof CredentialCommand>

/** Events about credentials. */
export const credentialEvents = {
  'credential.granted': () => z.object({ id: CredentialId, ...where, by: UserId.nullable(), askId: AskId }),
  'credential.revoked': () => z.object({ id: CredentialId, agentGroupId: AgentGroupId }),
}
type Data = DataOf<typeof credentialEvents>

export type CredentialChange =
  | { type: 'credential.granted'; data: Data['credential.granted']; body: string }
  | { type: 'credential.revoked'; data: Data['credential.revoked'] }
