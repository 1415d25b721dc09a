import { iso } from '../../lib/clock.ts'
import { sessionGrounds } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import type { AccessChange } from '../user/schema.ts'
import { decideSignIn } from './decide.ts'
import { signInEvents, type SignInChange, type SignInCommand } from './schema.ts'
import { loadSignIn, projectSignIn } from './store.ts'

/** Passkeys, and devices that another device lets in. */
export const signInSlice: Slice<
  SignInCommand,
  SignInChange,
  SignInChange | Extract<AccessChange, { type: 'login.started' }>
> = {
  events: {
    ...signInEvents,
    'passkey.challenged': 'tables',
    'passkey.used': 'tables',
    'device.asked': 'tables',
    'device.used': 'tables',
  },

  streams(_db, command) {
    switch (command.type) {
      case 'passkey.begin':
        return [command.userId]
      case 'passkey.challenge':
        return [command.challengeHash]
      case 'passkey.add':
        return [command.userId, command.challengeHash, command.credentialId]
      case 'passkey.sign_in':
        return [command.challengeHash, command.credentialId]
      case 'passkey.rename':
      case 'passkey.remove':
        return [command.id]
      case 'device.ask':
      case 'device.answer':
        return [command.codeHash]
      case 'device.sign_in':
        return [command.requestHash]
      default:
        return command satisfies never
    }
  },

  async load(db, command, context) {
    const state = await loadSignIn(db, command, iso(context.now))
    const grounds = await sessionGrounds(db, null, context)
    return { grounds: { ...grounds, holder: state.passkey?.userId }, decide: () => decideSignIn(state, command) }
  },

  project: projectSignIn,

  // What nobody is told of is not logged either.
  audience: (change) =>
    'userId' in change.data && change.data.userId !== null
      ? { person: change.data.userId }
      : { stream: 'sign-in', visibility: 'admin' },

  subject(command, changes) {
    const started = changes.find((change) => change.type === 'login.started')
    if (started) return started.data.userId
    return 'id' in command ? command.id : 'userId' in command ? command.userId : ''
  },
}
