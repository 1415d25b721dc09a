import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import { decideCode, type CodeCommand, type CodeFacts } from './decide-codes.ts'
import type { UserState } from './decide.ts'
import type { AgentGroupId, UserId } from './schema.ts'

const state = (more: Partial<UserState> = {}): UserState => ({
  id: newId<UserId>(),
  removed: false,
  grants: [],
  memberOf: [],
  identities: [],
  ...more,
})
const ann = state()
const nothing: CodeFacts = { person: ann, own: undefined, fromChat: undefined, holder: undefined }
const decided = (command: CodeCommand, facts: Partial<CodeFacts> = {}) => {
  const result = decideCode({ ...nothing, ...facts }, command)
  return result.ok ? result.value.map((change) => change.type) : result.fault.code
}
const expiresAt = '2030-01-01T00:00:00.000Z'
const good = { expired: false, used: false }
const fromChat = { ...good, identity: 'tg:7' }
const own = { ...good, userId: ann.id }

/** Both directions end alike: the person has the identity. */
const directions: [string, CodeCommand, Partial<CodeFacts>, (wrong: object) => Partial<CodeFacts>][] = [
  [
    'given out in a chat',
    { type: 'identity.claim', codeHash: 'c' },
    { fromChat },
    (wrong) => ({ fromChat: { ...fromChat, ...wrong } }),
  ],
  [
    'said in a chat',
    { type: 'identity.claim_from', identity: 'tg:7', codeHash: 'c' },
    { own },
    (wrong) => ({ own: { ...own, ...wrong } }),
  ],
]

describe.each(directions)('a code %s', (_name, claim, facts, but) => {
  it('links the identity, and takes it from whoever had it', () => {
    expect(decided(claim, facts)).toEqual(['identity.claimed', 'identity.linked'])
    expect(decided(claim, { ...facts, holder: state({ identities: ['tg:7', 'email:b@example.org'] }) })).toEqual([
      'identity.claimed',
      'identity.unlinked',
      'identity.linked',
    ])
    expect(decided(claim, { ...facts, holder: ann })).toEqual(['identity.claimed'])
  })

  it('brings along the groups of a person who was only this identity', () => {
    const [mine, theirs] = [newId<AgentGroupId>(), newId<AgentGroupId>()]
    const person = state({ id: ann.id, memberOf: [mine] })
    const holder = state({ identities: ['tg:7'], memberOf: [mine, theirs] })
    const result = decideCode({ ...nothing, ...facts, person, holder }, claim)
    expect(result.ok && result.value.at(-1)).toMatchObject({
      type: 'member.added',
      data: { userId: ann.id, agentGroupId: theirs },
    })
    const admin = { role: 'admin' as const, agentGroupId: theirs }
    for (const another of [{ identities: ['tg:7', 'slack:U1'] }, { grants: [admin] }])
      expect(decided(claim, { ...facts, person, holder: { ...holder, ...another } })).not.toContain('member.added')
  })

  it('works once, for ten minutes, and for people who are here', () => {
    for (const wrong of [{ used: true }, { expired: true }]) expect(decided(claim, but(wrong))).toBe('code_not_valid')
    expect(decided(claim)).toBe('code_not_valid')
    for (const person of [undefined, state({ removed: true })])
      expect(decided(claim, { ...facts, person })).toMatch(/needs_person|user_not_found/)
  })
})

it('codes are made by chats and by people, and are not made twice', () => {
  const offer: CodeCommand = { type: 'identity.offer', identity: 'tg:7', codeHash: 'c', expiresAt }
  const offerOwn: CodeCommand = { type: 'identity.offer_own', codeHash: 'c', expiresAt }
  expect(decided(offer)).toEqual(['identity.coded'])
  expect(decided(offerOwn)).toEqual(['identity.offered'])
  expect(decided(offerOwn, { person: undefined })).toBe('needs_person')
  for (const command of [offer, offerOwn])
    for (const taken of [{ own }, { fromChat }]) expect(decided(command, taken)).toBe('code_taken')
})

it('a code of one direction does not work in the other', () => {
  expect(decided({ type: 'identity.claim', codeHash: 'c' }, { own })).toBe('code_not_valid')
  expect(decided({ type: 'identity.claim_from', identity: 'tg:7', codeHash: 'c' }, { fromChat })).toBe('code_not_valid')
})
