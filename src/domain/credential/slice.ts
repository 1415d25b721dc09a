import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decideCredential } from './decide.ts'
import { credentialEvents, type CredentialChange, type CredentialCommand } from './schema.ts'
import { listCredentials, loadCredential, projectCredential } from './store.ts'

export const credentialSlice: Slice<CredentialCommand, CredentialChange> = {
  events: credentialEvents,
  streams: () => ['credentials'],
  async load(db, command, context) {
    const credential = await loadCredential(db, command.id)
    return {
      grounds: { ...groundsOf(context), credential },
      async decide() {
        if (command.type === 'credential.revoke')
          return decideCredential({ credential, current: undefined, held: [] }, command)
        const held = await listCredentials(db, command.agentGroupId)
        const current = held.find(({ host, name }) => host === command.host && name === command.name)
        return decideCredential({ credential, current, held }, command)
      },
    }
  },
  project: projectCredential,
  audience: ({ data }) => ({ stream: data.agentGroupId, visibility: 'admin' }),
  subject: ({ id }) => id,
}
