import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { SessionId } from '../session/id.ts'
import { decideAccess, type AccessState } from './decide-access.ts'
import type { AccessCommand, TokenId, UserId } from './schema.ts'

const userId = newId<UserId>()
const id = newId<TokenId>()
const later = '2030-01-01T00:00:00.000Z'
const nothing: AccessState = {
  now: '2029-01-01T00:00:00.000Z',
  token: undefined,
  user: undefined,
  link: undefined,
  cookie: undefined,
}
const here = { ...nothing, user: { id: userId, removed: false } }
const decided = (state: AccessState, command: AccessCommand) => {
  const result = decideAccess(state, command)
  return result.ok ? result.value.map((change) => change.type) : result.fault.code
}

describe('tokens', () => {
  const create: AccessCommand = {
    type: 'token.create',
    id,
    userId,
    name: 'ci',
    scope: 'full',
    sessionId: null,
    hash: 'h',
    expiresAt: null,
  }

  it('are made for existing people', () => {
    expect(decided(here, create)).toEqual(['token.created'])
    expect(decided(nothing, create)).toBe('user_not_found')
    expect(decided({ ...nothing, user: { id: userId, removed: true } }, create)).toBe('user_not_found')
    expect(decided({ ...here, token: { id, userId, revoked: false } }, create)).toBe('token_exists')
  })

  it('bound to a session are agents’ tokens', () => {
    const sessionId = newId<SessionId>()
    expect(decided(here, { ...create, sessionId })).toBe('scope_does_not_fit')
    expect(decided(here, { ...create, sessionId, scope: 'agent' })).toEqual(['token.created'])
  })

  it('keep name and hash out of the log', () => {
    const result = decideAccess(here, create)
    expect(result.ok && Object.keys(result.value[0]?.data ?? {})).toEqual([
      'id',
      'userId',
      'scope',
      'sessionId',
      'expiresAt',
    ])
  })

  it('are revoked once', () => {
    const revoke: AccessCommand = { type: 'token.revoke', id }
    expect(decided(nothing, revoke)).toBe('token_not_found')
    expect(decided({ ...nothing, token: { id, userId, revoked: false } }, revoke)).toEqual(['token.revoked'])
    expect(decided({ ...nothing, token: { id, userId, revoked: true } }, revoke)).toEqual([])
  })
})

describe('logins', () => {
  const redeem = {
    type: 'login.redeem' as const,
    linkHash: 'l',
    cookieHash: 'c',
    keyHash: 'k',
    expiresAt: later,
    signedInAs: null,
  }
  const link = { userId, displayName: 'Ann', expired: false, used: false }

  it('are offered to existing people', () => {
    const offer: AccessCommand = { type: 'login.offer', userId, linkHash: 'l', expiresAt: later }
    expect(decided(here, offer)).toEqual(['login.offered'])
    expect(decided(nothing, offer)).toBe('user_not_found')
  })

  it('a link works once, in time', () => {
    expect(decided({ ...nothing, link }, redeem)).toEqual(['login.started'])
    expect(decided({ ...nothing, link: { ...link, used: true } }, redeem)).toBe('login_link_not_valid')
    expect(decided({ ...nothing, link: { ...link, expired: true } }, redeem)).toBe('login_link_not_valid')
    expect(decided(nothing, redeem)).toBe('login_link_not_valid')
  })

  it('another person’s link changes nobody’s login unasked', () => {
    const asSomebody = (signedInAs: typeof userId): AccessCommand => ({ ...redeem, signedInAs })
    expect(decided({ ...nothing, link }, asSomebody(userId))).toEqual(['login.started'])
    expect(decided({ ...nothing, link }, asSomebody(newId()))).toBe('login_link_of_another_person')
    expect(decided({ ...nothing, link: { ...link, used: true } }, asSomebody(newId()))).toBe('login_link_not_valid')
  })

  it('ending twice changes nothing', () => {
    const end: AccessCommand = { type: 'login.end', cookieHash: 'c' }
    expect(decided({ ...nothing, cookie: { userId, ended: false } }, end)).toEqual(['login.ended'])
    expect(decided({ ...nothing, cookie: { userId, ended: true } }, end)).toEqual([])
    expect(decided(nothing, end)).toEqual([])
  })
})
