import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import { clash } from './clash.ts'
import type { Credential, CredentialChange, CredentialCommand } from './schema.ts'

export type CredentialFacts = {
  readonly credential: Pick<Credential, 'id' | 'agentGroupId'> | undefined
  /** The one that counts now for the same group, host and name. */
  readonly current: Pick<Credential, 'id' | 'agentGroupId'> | undefined
  /** All that the group has. */
  readonly held: readonly Pick<Credential, 'host' | 'name'>[]
}

export function decideCredential(
  { credential, current, held }: CredentialFacts,
  command: CredentialCommand,
): Result<CredentialChange[]> {
  if (command.type === 'credential.revoke')
    return credential
      ? ok([{ type: 'credential.revoked', data: { id: credential.id, agentGroupId: credential.agentGroupId } }])
      : notFound('credential', command.id)
  const { type: _type, sealed, ...data } = command
  if (credential) return fail({ kind: 'conflict', code: 'credential_exists', message: 'It is already granted.' })
  const clashes = clash(held, command)
  if (clashes) return clashes
  const before: CredentialChange[] = current
    ? [{ type: 'credential.revoked', data: { id: current.id, agentGroupId: current.agentGroupId } }]
    : []
  return ok([...before, { type: 'credential.granted', data, body: sealed }])
}
