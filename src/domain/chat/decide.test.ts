import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { AgentGroupId } from '../user/id.ts'
import { decideChat, decideDestination, decideWiring, type ChatState, type DestinationState } from './decide.ts'
import type { MessagingGroupId, WiringId } from './id.ts'
import { freeLocalName } from './local-name.ts'
import { ChatCommand, type ChatCommandOf } from './schema.ts'

const chatId = newId<MessagingGroupId>()
const group = newId<AgentGroupId>()
const chat = (more: Partial<ChatState> = {}): ChatState => ({
  id: chatId,
  channelType: 'slack',
  platformId: 'C1',
  name: 'Dev Team',
  removed: false,
  denied: false,
  ...more,
})
const destination = (localName: string, more: Partial<DestinationState> = {}): DestinationState => ({
  agentGroupId: group,
  localName,
  targetType: 'channel',
  targetId: newId(),
  wiringId: null,
  ...more,
})
const wiring = { id: newId<WiringId>(), chatId, agentGroupId: group }
const nothing = { wirings: [], destinations: [] }

const parsed = <T extends ChatCommand['type']>(type: T, more: object) =>
  ChatCommand.parse({ type, ...more }) as ChatCommandOf<T>
const codeOf = (result: ReturnType<typeof decideChat>) =>
  result.ok ? result.value.map(({ type }) => type) : result.fault.code

describe('a chat', () => {
  const add = parsed('chat.add', { id: chatId, channelType: 'slack', platformId: 'C1' })

  it('is added once at its place, strict unless said otherwise; one that was removed comes back with its id', () => {
    const first = decideChat({ chat: undefined, atPlace: undefined, ...nothing }, add)
    expect(first).toMatchObject({ value: [{ type: 'chat.added', body: { unknownSenderPolicy: 'strict' } }] })
    expect(codeOf(decideChat({ chat: undefined, atPlace: chat(), ...nothing }, add))).toBe('chat_exists')
    const old = newId<MessagingGroupId>()
    const again = decideChat({ chat: undefined, atPlace: chat({ id: old, removed: true }), ...nothing }, add)
    expect(again).toMatchObject({ value: [{ data: { id: old }, body: { id: old } }] })
  })

  it('takes its wirings along when it is denied, and what leads to it when it is removed', () => {
    const made = destination('dev-team', { wiringId: wiring.id, targetId: chatId })
    const byHand = destination('team', { targetId: chatId })
    const facts = { chat: chat(), atPlace: undefined, wirings: [wiring], destinations: [made, byHand] }
    expect(codeOf(decideChat(facts, parsed('chat.deny', { id: chatId })))).toEqual(['wiring.removed', 'chat.denied'])
    expect(codeOf(decideChat({ ...facts, chat: chat({ denied: true }) }, parsed('chat.deny', { id: chatId })))).toEqual(
      [],
    )
    const removed = decideChat(facts, parsed('chat.remove', { id: chatId }))
    expect(codeOf(removed)).toEqual(['wiring.removed', 'destination.removed', 'chat.removed'])
    expect(removed).toMatchObject({ value: [{}, { data: { localName: 'team' } }, {}] })
    const gone = { ...facts, chat: chat({ removed: true }) }
    expect(codeOf(decideChat(gone, parsed('chat.remove', { id: chatId })))).toBe('chat_not_found')
  })

  it('only the fields that are given change', () => {
    const update = parsed('chat.update', { id: chatId, unknownSenderPolicy: 'public' })
    const decided = decideChat({ chat: chat(), atPlace: undefined, ...nothing }, update)
    expect(decided).toMatchObject({ value: [{ data: { fields: ['unknownSenderPolicy'] } }] })
  })
})

describe('a wiring', () => {
  const add = parsed('wiring.add', { id: wiring.id, chatId, agentGroupId: group })
  const facts = { chat: chat(), groupExists: true, wiring: undefined, destinations: [] }

  it('is made with a destination named after the chat, counted up if the name is taken', () => {
    expect(decideWiring(facts, add)).toMatchObject({
      value: [
        {
          data: { localName: 'dev-team' },
          body: { engageMode: 'mention', sessionMode: 'shared', priority: 0, senderScope: 'all', verbosity: 'quiet' },
        },
      ],
    })
    const taken = [destination('dev-team'), destination('dev-team-2')]
    expect(decideWiring({ ...facts, destinations: taken }, add)).toMatchObject({
      value: [{ data: { localName: 'dev-team-3' } }],
    })
    const known = [destination('elsewhere', { targetId: chatId })]
    expect(decideWiring({ ...facts, destinations: known }, add)).toMatchObject({
      value: [{ data: { localName: null } }],
    })
  })

  it('needs a chat, an agent group and a usable pattern, and is there once', () => {
    const bad = parsed('wiring.add', { ...add, engagePattern: '(a' })
    expect(codeOf(decideWiring(facts, bad))).toBe('invalid_pattern')
    expect(codeOf(decideWiring(facts, { ...add, engagePattern: String.raw`(a)\1` }))).toBe('invalid_pattern')
    expect(codeOf(decideWiring({ ...facts, chat: undefined }, add))).toBe('chat_not_found')
    expect(codeOf(decideWiring({ ...facts, groupExists: false }, add))).toBe('agent_group_not_found')
    expect(codeOf(decideWiring({ ...facts, wiring }, add))).toBe('wiring_exists')
    const update = parsed('wiring.update', { id: wiring.id, engageMode: 'pattern', engagePattern: '[' })
    expect(codeOf(decideWiring({ ...facts, wiring }, update))).toBe('invalid_pattern')
    expect(codeOf(decideWiring(facts, parsed('wiring.remove', { id: wiring.id })))).toBe('wiring_not_found')
    expect(codeOf(decideWiring({ ...facts, wiring }, parsed('wiring.remove', { id: wiring.id })))).toEqual([
      'wiring.removed',
    ])
  })
})

describe('a destination', () => {
  const add = (localName: string | null) =>
    parsed('destination.add', { agentGroupId: group, localName, targetType: 'channel', targetId: chatId })
  const facts = {
    groupExists: true,
    target: { name: 'Dev', otherwise: 'slack-c1' },
    destinations: [destination('dev')],
  }

  it('has the name that was asked for, or one of its own', () => {
    expect(decideDestination(facts, add('team'))).toMatchObject({ value: [{ data: { localName: 'team' } }] })
    expect(decideDestination(facts, add(null))).toMatchObject({ value: [{ data: { localName: 'dev-2' } }] })
    expect(codeOf(decideDestination(facts, add('dev')))).toBe('destination_exists')
    expect(codeOf(decideDestination({ ...facts, target: undefined }, add(null)))).toBe('chat_not_found')
    const remove = (localName: string) => parsed('destination.remove', { agentGroupId: group, localName })
    expect(codeOf(decideDestination(facts, remove('dev')))).toEqual(['destination.removed'])
    expect(codeOf(decideDestination(facts, remove('team')))).toBe('destination_not_found')
  })
})

describe('names of destinations', () => {
  it.each([
    [['#Dev / Ops!', null], [], 'dev-ops'],
    [[null, 'slack-C0123'], [], 'slack-c0123'],
    [['🎉', 'tg--100'], [], 'tg-100'],
    [['Übung', null], [], 'übung'],
    [['', null], ['chat'], 'chat-2'],
    [['x'.repeat(200), null], [], 'x'.repeat(60)],
  ])('%j without %j is %s', (wanted, taken, name) => {
    expect(freeLocalName(wanted, taken)).toBe(name)
  })
})
