import { expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import { decideInstance, type InstanceFacts } from './decide.ts'
import { InstanceCommand, type ChatInstanceId } from './schema.ts'

const id = newId<ChatInstanceId>()
const facts: InstanceFacts = {
  instance: { id, platform: 'slack', name: 'slack', wanted: 'running', removedAt: null },
  named: undefined,
  workspace: null,
  by: null,
}
const said = (command: object, more: Partial<InstanceFacts> = {}) => {
  const result = decideInstance({ ...facts, ...more }, InstanceCommand.parse({ id, ...command }))
  return result.ok ? result.value : result.fault.code
}
const add = { type: 'instance.add', platform: 'slack', name: 'slack', title: 'Slack', credentials: 'sealed' }
const removedAt = '2030-01-01T00:00:00.000Z'

it('names are unique; one that is added again keeps its id, if it is on the same platform', () => {
  expect(said(add, { instance: undefined })).toMatchObject([{ type: 'instance.added', data: { id } }])
  const old = newId<ChatInstanceId>()
  expect(said(add, { named: { id: old, platform: 'slack', removedAt: null } })).toBe('instance_exists')
  expect(said(add, { named: { id: old, platform: 'slack', removedAt } })).toMatchObject([{ data: { id: old } }])
  expect(said(add, { named: { id: old, platform: 'discord', removedAt } })).toBe('instance_exists')
  expect(InstanceCommand.safeParse({ id, ...add, name: 'a/b' }).success).toBe(false)
})

it('the log never has credentials, only that they changed', () => {
  expect(said({ type: 'instance.update', credentials: 'new' })).toEqual([
    { type: 'instance.updated', data: { id, fields: ['credentials'] }, body: { credentials: 'new' } },
  ])
})

it('starts and stops once, and not after it was removed', () => {
  expect(said({ type: 'instance.start' })).toEqual([])
  expect(said({ type: 'instance.stop' })).toMatchObject([{ type: 'instance.stopped' }])
  const gone = { instance: { id, platform: 'slack', name: 'slack', wanted: 'stopped' as const, removedAt } }
  expect(said({ type: 'instance.start' }, gone)).toBe('instance_not_found')
  expect(said({ type: 'instance.remove' })).toMatchObject([{ type: 'instance.removed' }])
})
