import { describe, expect, it } from 'vitest'
import { fail, ok } from '../../../lib/result.ts'
import { performHandshake, type HandshakeInput } from './handshake.ts'
import type { Wire } from './wire.ts'

type Asked = { method: string; params: { mcpServers?: unknown } }
const theirs = { name: 'notes', command: 'notes', args: [], env: [] }

/** Does the handshake with an agent of these capabilities, and returns what it was asked. */
async function meet(
  agentCapabilities: object,
  input: Partial<HandshakeInput> = {},
  refuse: readonly string[] = [],
): Promise<Asked[]> {
  const asked: Asked[] = []
  const wire: Pick<Wire, 'request'> = {
    async request<T>(_id: string, method: string, params: object) {
      asked.push({ method, params })
      if (refuse.includes(method)) return fail({ kind: 'unavailable', code: 'agent_refused', message: 'no' })
      const answer = method === 'initialize' ? { protocolVersion: 1, agentCapabilities } : { sessionId: 'one' }
      return ok({ value: answer as T, offset: 0 })
    },
  }
  const introduced = await performHandshake(wire as Wire, {
    cwd: '/work',
    mcpServers: [theirs],
    version: '1',
    clientFs: false,
    clientTerminal: false,
    authMethod: null,
    continues: null,
    forks: false,
    ownServer: async (http) => ({ name: 'signalbox', http }),
    settle() {},
    replaying() {},
    ...input,
  })
  expect(introduced.ok).toBe(true)
  return asked
}

const http = { mcpCapabilities: { http: true } }
const sessionCapabilities = { resume: {}, fork: {} }
const continues = 'one'

describe('the handshake with an agent', () => {
  it.each([
    ['session/new', {}, {}],
    ['session/load', { loadSession: true }, { continues }],
    ['session/resume', { sessionCapabilities }, { continues }],
    ['session/fork', { sessionCapabilities }, { continues, forks: true }],
  ])('X7 our server is passed on in %s, after the operator’s', async (method, capabilities, input) => {
    const asked = await meet({ ...http, ...capabilities }, input)
    expect(asked.map((one) => one.method)).toEqual(['initialize', method])
    expect(asked[1]?.params.mcpServers).toEqual([theirs, { name: 'signalbox', http: true }])
  })

  it('X7 it is offered in the new session too if the old conversation is lost', async () => {
    const asked = await meet({ ...http, loadSession: true }, { continues }, ['session/load'])
    expect(asked.map((one) => one.method)).toEqual(['initialize', 'session/load', 'session/new'])
    expect(asked[2]?.params.mcpServers).toEqual([theirs, { name: 'signalbox', http: true }])
  })

  it.each([{}, { mcpCapabilities: null }, { mcpCapabilities: { http: false } }, { mcpCapabilities: { sse: true } }])(
    'X7 an agent with %o gets it as a program',
    async (capabilities) => {
      const asked = await meet(capabilities)
      expect(asked[1]?.params.mcpServers).toEqual([theirs, { name: 'signalbox', http: false }])
    },
  )

  it('an agent that does not want it gets only the others', async () => {
    const asked = await meet(http, { ownServer: async () => null })
    expect(asked[1]?.params.mcpServers).toEqual([theirs])
  })
})
