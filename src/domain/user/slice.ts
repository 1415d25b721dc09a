import type { Executor } from '../../db/open.ts'
import { iso } from '../../lib/clock.ts'
import type { CommandContext } from '../slice/context.ts'
import { groundsOf } from '../slice/grounds.ts'
import type { LoadedCommand, Slice } from '../slice/slice.ts'
import { personOf } from './actor.ts'
import { decideCode, isCodeCommand, type CodeCommand } from './decide-codes.ts'
import { decideUser } from './decide.ts'
import { userEvents, type UserChange, type UserCommand } from './schema.ts'
import { countOwners, groupExists, holderOf, loadCode, loadOffer, loadUser, projectUser } from './store.ts'

export const userSlice: Slice<UserCommand, UserChange> = {
  events: { ...userEvents, 'identity.coded': 'tables' },

  // These commands are rare: one stream for all of them ensures that the last owner stays.
  streams: () => ['people'],

  async load(db, command, context) {
    if (isCodeCommand(command)) return loadForCode(db, command, context)
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

  audience(change) {
    if (change.type === 'identity.coded') return { stream: 'people', visibility: 'admin' }
    return { person: 'userId' in change.data ? change.data.userId : change.data.id }
  },

  subject(command, changes) {
    switch (command.type) {
      case 'identity.link':
      case 'identity.unlink':
      case 'identity.offer':
      case 'identity.claim_from':
        return command.identity
      case 'identity.claim':
      case 'identity.offer_own':
        return (
          changes.find((change) => change.type === 'identity.claimed' || change.type === 'identity.offered')?.data
            .userId ?? ''
        )
      default:
        return 'id' in command ? command.id : command.userId
    }
  },
}

async function loadForCode(
  db: Executor,
  command: CodeCommand,
  context: CommandContext,
): Promise<LoadedCommand<UserChange>> {
  const now = iso(context.now)
  const own = await loadOffer(db, command.codeHash, now)
  const fromChat = await loadCode(db, command.codeHash, now)
  const identity = 'identity' in command ? command.identity : fromChat?.identity
  const holderId = identity === undefined ? null : await holderOf(db, [identity])
  const holder = holderId === null ? undefined : await loadUser(db, holderId)
  const personId = command.type === 'identity.claim_from' ? own?.userId : personOf(context.standing.actor)
  const person = personId ? await loadUser(db, personId) : undefined
  return {
    // Whose identity it is matters only for those who claim it for somebody else.
    grounds: { ...groundsOf(context), user: command.type === 'identity.claim_from' ? holder : undefined },
    decide: () => decideCode({ person, own, fromChat, holder }, command),
  }
}
