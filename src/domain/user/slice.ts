import { iso } from '../../lib/clock.ts'
import { groundsOf } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { personOf } from './actor.ts'
import { decideClaim, decideUser } from './decide.ts'
import { userEvents, type UserChange, type UserCommand } from './schema.ts'
import { countOwners, groupExists, holderOf, loadOffer, loadUser, projectUser } from './store.ts'

export const userSlice: Slice<UserCommand, UserChange> = {
  events: userEvents,

  // These commands are rare: one stream for all of them ensures that the last owner stays.
  streams: () => ['people'],

  async load(db, command, context) {
    if (command.type === 'identity.claim') {
      const identityHolder = await holderOf(db, [command.identity])
      const user = identityHolder === null ? undefined : await loadUser(db, identityHolder)
      return {
        grounds: { ...groundsOf(context), user },
        decide: async () =>
          decideClaim(await loadOffer(db, command.codeHash, iso(context.now)), command, { identityHolder }),
      }
    }
    const user = await loadUser(db, 'userId' in command ? command.userId : command.id)
    return {
      grounds: { ...groundsOf(context), user },
      async decide() {
        const identities =
          'identities' in command ? command.identities : 'identity' in command ? [command.identity] : []
        return decideUser(user, command, {
          by: personOf(context.standing.actor),
          owners: await countOwners(db),
          identityHolder: await holderOf(db, identities),
          groupExists: await groupExists(db, 'agentGroupId' in command ? command.agentGroupId : null),
        })
      },
    }
  },

  project: projectUser,

  audience: (change) => ({ person: 'userId' in change.data ? change.data.userId : change.data.id }),

  subject(command) {
    switch (command.type) {
      case 'identity.claim':
      case 'identity.link':
      case 'identity.unlink':
        return command.identity
      default:
        return 'id' in command ? command.id : command.userId
    }
  },
}
