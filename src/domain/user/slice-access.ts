import { iso } from '../../lib/clock.ts'
import { sessionGrounds } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { decideAccess } from './decide-access.ts'
import { accessEvents, type AccessChange, type AccessCommand } from './schema.ts'
import { loadAccess, projectAccess } from './store-access.ts'

export const accessSlice: Slice<AccessCommand, AccessChange> = {
  events: { ...accessEvents, 'token.touched': 'tables' },

  streams(_db, command) {
    switch (command.type) {
      case 'token.create':
      case 'login.offer':
        return [command.userId]
      case 'token.revoke':
      case 'token.touch':
        return [command.id]
      case 'login.redeem':
        return [command.linkHash]
      case 'login.end':
        return [command.cookieHash]
      default:
        return command satisfies never
    }
  },

  async load(db, command, context) {
    const state = await loadAccess(db, command, iso(context.now))
    const sessionId = command.type === 'token.create' ? command.sessionId : null
    const grounds = await sessionGrounds(db, sessionId, context)
    const holder = state.token?.userId ?? state.cookie?.userId
    return { grounds: { ...grounds, holder }, decide: () => decideAccess(state, command) }
  },

  project: projectAccess,
  audience: ({ data }) => ({ person: data.userId }),

  subject(command, changes) {
    if (command.type === 'login.redeem')
      return changes.find((change) => change.type === 'login.started')?.data.userId ?? ''
    if (command.type === 'login.end') return command.cookieHash
    return 'id' in command ? command.id : command.userId
  },
}
