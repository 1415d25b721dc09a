import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decideCredential } from './decide.ts'
import { credentialEvents, type CredentialChange, type CredentialCommand } from './schema.ts'
import { currentCredential, loadCredential, projectCredential } from './store.ts'

export const credentialSlice: Slice<CredentialCommand, CredentialChange> = {
  events: credentialEvents,
  streams: () => ['credentials'],
  async load(db, command, context) {
    const credential = await loadCredential(db, command.id)
    return {
      grounds: { ...groundsOf(context), credential },
      async decide() {
        const current = command.type === 'credential.grant' ? await currentCredential(db, command) : undefined
        return decideCredential({ credential, current }, command)
      },
    }
  },
  project: projectCredential,
  audience: ({ data }) => ({ stream: data.agentGroupId, visibility: 'admin' }),
  subject: ({ id }) => id,
}
