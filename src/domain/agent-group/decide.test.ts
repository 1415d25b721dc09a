import { expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { MessagingGroupId, WiringId } from '../chat/id.ts'
import { decideAgentGroup, type AgentGroupFacts } from './decide.ts'
import { AgentGroupCommand, type AgentGroupId } from './schema.ts'

const id = newId<AgentGroupId>()
const facts: AgentGroupFacts = {
  group: { id, removedAt: null },
  folders: [],
  repoExists: true,
  links: { wirings: [], destinations: [] },
  config: undefined,
  hasMachine: false,
}
const said = (command: object, more: Partial<AgentGroupFacts> = {}) => {
  const result = decideAgentGroup({ ...facts, ...more }, AgentGroupCommand.parse({ id, ...command }))
  return result.ok ? result.value : result.fault.code
}

it('a group gets a folder of its own, made from its name', () => {
  const create = (name: string, folders: string[] = [], folder: string | null = null) =>
    said({ type: 'agent_group.create', name, folder }, { group: undefined, folders })
  expect(create('Dev Helpers')).toMatchObject([{ data: { folder: 'dev-helpers' } }])
  expect(create('Dev Helpers', ['dev-helpers'])).toMatchObject([{ data: { folder: 'dev-helpers-2' } }])
  expect(create('日本')).toMatchObject([{ data: { folder: 'group' } }])
  expect(create('x', ['dev'], 'dev')).toBe('folder_taken')
  expect(said({ type: 'agent_group.create', name: 'x' })).toBe('agent_group_exists')
  const strange = { type: 'agent_group.create', name: 'x', repoId: newId() }
  expect(said(strange, { group: undefined, repoExists: false })).toBe('repo_not_found')
})

it('only what is given changes', () => {
  expect(said({ type: 'agent_group.update', agent: 'claude' })).toEqual([
    { type: 'agent_group.updated', data: { id, fields: ['agent'] }, body: { agent: 'claude' } },
  ])
  expect(said({ type: 'agent_group.update', repoId: null })).toMatchObject([{ body: { repoId: null } }])
})

it('a removed group takes its wirings and destinations along, and what leads to it', () => {
  const wiring = { id: newId<WiringId>(), chatId: newId<MessagingGroupId>(), agentGroupId: id }
  const other = newId<AgentGroupId>()
  const to = { targetType: 'agent' as const, targetId: id }
  const links = {
    wirings: [wiring],
    destinations: [
      {
        agentGroupId: id,
        localName: 'dev',
        targetType: 'channel' as const,
        targetId: wiring.chatId,
        wiringId: wiring.id,
      },
      { agentGroupId: id, localName: 'friend', targetType: 'agent' as const, targetId: other, wiringId: null },
      { agentGroupId: other, localName: 'us', ...to, wiringId: null },
    ],
  }
  expect(said({ type: 'agent_group.remove' }, { links })).toMatchObject([
    { type: 'wiring.removed', data: { id: wiring.id } },
    { type: 'destination.removed', data: { localName: 'friend' } },
    { type: 'destination.removed', data: { agentGroupId: other, localName: 'us' } },
    { type: 'agent_group.removed' },
  ])
  const gone = { group: { id, removedAt: '2030-01-01T00:00:00.000Z' } }
  expect(said({ type: 'agent_group.remove' }, gone)).toBe('agent_group_not_found')
})
