import { expect, it } from 'vitest'
import { providersOf } from '../edges/acp/launch/container-network.ts'
import type { GroupSettings } from '../app/agent-group/settings.ts'
import { defaultContainerConfig } from '../domain/agent-group/container-config.ts'
import type { AgentGroupId, UserId } from '../domain/user/id.ts'
import { newId } from '../lib/id.ts'
import { ok } from '../lib/result.ts'
import { groupChoice } from './containers.ts'

const agentGroupId = newId<AgentGroupId>()
const ownerUserId = newId<UserId>()
const model = { name: 'anthropic', baseUrl: 'https://model.example', keyRef: 'env:MODEL_KEY', header: null }
const containers = {
  image: null,
  memoryMb: 2048,
  cpus: 2,
  pids: 512,
  diskMb: 1024,
  hosts: ['one.example'],
  providers: [model],
}
const settings = {
  agentGroupId,
  name: 'Helpers',
  container: {
    image: null,
    packages: { apt: [], npm: ['typescript'] },
    mounts: [],
    limits: { ...defaultContainerConfig.limits, pids: 64 },
    hosts: ['two.example'],
    providers: [] as string[],
  },
} as unknown as GroupSettings

const chosen = (container = settings.container, secrets: { host: string; name: string; value: string }[] = []) =>
  groupChoice(
    { containers } as unknown as Parameters<typeof groupChoice>[0],
    { groupSettings: async () => ({ ...settings, container }) },
    { secretsOf: async () => ok(secrets) },
  )({ ownerUserId, agentGroupId })

it('C9 a group’s container is what its config says, else the configuration', async () => {
  expect(await chosen()).toMatchObject({
    value: {
      homeKey: `group-${agentGroupId}`,
      settings: {
        packages: { npm: ['typescript'] },
        limits: { memoryMb: 2048, cpus: 2, pids: 64, diskMb: 1024 },
        network: { hosts: ['one.example', 'two.example'], providers: [model] },
      },
    },
  })
  expect(await chosen({ ...settings.container, providers: ['nobody'] })).toMatchObject({
    fault: { code: 'unknown_provider' },
  })
})

it('C7 a granted credential is a provider of the gate, which adds its value', async () => {
  const choice = await chosen(settings.container, [
    { host: 'api.example.com', name: 'GITHUB_TOKEN', value: 'very secret' },
    { host: 'own.example', name: 'anthropic', value: 'of the group' },
  ])
  const { providers } = choice.ok ? choice.value.settings.network : { providers: [] }
  const gate = await providersOf(providers, async () => 'of everybody')
  expect(gate).toMatchObject({
    value: [
      {
        name: 'github-token',
        baseUrl: 'https://api.example.com',
        headers: { authorization: 'Bearer very secret' },
      },
      { name: 'anthropic', baseUrl: 'https://own.example', headers: { 'x-api-key': 'of the group' } },
    ],
  })
})
