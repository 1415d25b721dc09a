import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { TokenId, UserId } from './id.ts'
import type { AccessChange, AccessCommand } from './schema.ts'

export type AccessState = {
  now: string
  token: { id: TokenId; userId: UserId; revoked: boolean } | undefined
  /** The person the command names. */
  user: { id: UserId; removed: boolean } | undefined
  link: { userId: UserId; displayName: string; expired: boolean; used: boolean } | undefined
  cookie: { userId: UserId; ended: boolean } | undefined
}

export function decideAccess(state: AccessState, command: AccessCommand): Result<AccessChange[]> {
  switch (command.type) {
    case 'token.create': {
      if (state.token) return fail({ kind: 'conflict', code: 'token_exists', message: 'This token already exists.' })
      if (!state.user || state.user.removed) return notFound('user', command.userId)
      const { id, userId, scope, sessionId, expiresAt, name, hash } = command
      if (expiresAt !== null && expiresAt <= state.now)
        return fail({ kind: 'invalid', code: 'expires_in_the_past', message: 'The expiry time is in the past.' })
      if (sessionId !== null && scope !== 'agent')
        return fail({
          kind: 'invalid',
          code: 'scope_does_not_fit',
          message: 'Only an agent token is tied to a session.',
        })
      return ok([{ type: 'token.created', data: { id, userId, scope, sessionId, expiresAt }, body: { name, hash } }])
    }
    case 'token.revoke':
      if (!state.token) return notFound('token', command.id)
      if (state.token.revoked) return ok([])
      return ok([{ type: 'token.revoked', data: { id: command.id, userId: state.token.userId } }])
    case 'token.touch':
      if (!state.token) return notFound('token', command.id)
      return ok([{ type: 'token.touched', data: { id: command.id, userId: state.token.userId } }])
    case 'login.offer':
      if (!state.user || state.user.removed) return notFound('user', command.userId)
      return ok([
        {
          type: 'login.offered',
          data: { userId: command.userId, expiresAt: command.expiresAt },
          body: { linkHash: command.linkHash },
        },
      ])
    case 'login.redeem':
      if (!state.link || state.link.expired || state.link.used)
        return fail({
          kind: 'forbidden',
          code: 'login_link_not_valid',
          message: 'This login link was already used, or is older than ten minutes.',
          hint: 'Make a new one with: signalbox login',
        })
      // Prevents tricking someone into working in another person's account.
      if (command.signedInAs !== null && command.signedInAs !== state.link.userId)
        return fail({
          kind: 'conflict',
          code: 'login_link_of_another_person',
          message: `This login link is for ${state.link.displayName}, and this browser is signed in as someone else.`,
          hint: 'Continue only if you asked for the link yourself.',
        })
      return ok([
        {
          type: 'login.started',
          data: { userId: state.link.userId, expiresAt: command.expiresAt },
          body: { linkHash: command.linkHash, cookieHash: command.cookieHash, keyHash: command.keyHash },
        },
      ])
    case 'login.end':
      if (!state.cookie || state.cookie.ended) return ok([])
      return ok([
        { type: 'login.ended', data: { userId: state.cookie.userId }, body: { cookieHash: command.cookieHash } },
      ])
    default:
      return command satisfies never
  }
}
