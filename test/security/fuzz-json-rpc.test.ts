import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMessageReader } from '../../src/edges/acp/wire/message-reader.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { approve, openMcpHarness } from '../conformance/mcp-harness.ts'
import { call, initialize, wireTo } from '../support/mcp-wire.ts'

const seed = 14

const deep = (open: string, close: string, times: number): string => open.repeat(times) + close.repeat(times)
const odd = [
  '',
  ' ',
  '{',
  '[]',
  '[[]]',
  'null',
  '1',
  '"x"',
  'nul',
  '{}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":null}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1e999,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1,"method":5}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__"}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"constructor","arguments":{}}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"heartbeat","arguments":[]}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"heartbeat","arguments":{"__proto__":{"x":1}}}}',
  '{"jsonrpc":"2.0","id":1,"method":"session/update","params":{"update":5}}',
  '{"jsonrpc":"2.0","method":"session/update","params":{"update":null}}',
  '{"jsonrpc":"2.0","method":"session/update"}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
  '{"jsonrpc":"2.0","id":"a","error":{}}',
  '{"jsonrpc":"2.0","id":"a","result":{},"error":{}}',
  '{"jsonrpc":"1.0","id":1,"method":"x"}',
  '{"id":1,"id":2,"method":"tools/list","jsonrpc":"2.0"}',
  `{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(5000)}"}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep('[', ']', 5000)}}`,
  `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${deep('{"a":', '}', 0)}{}}`,
  deep('{"a":', '}', 3000).replace(/\{"a":\}/, '{}'),
  '\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\0',
  '{"jsonrpc":"2.0","id":1,"method":"\ud800"}',
  '{"jsonrpc":"2.0","id":"\\ud800","method":"x"}',
]
const valid = [JSON.stringify(call(7, 'heartbeat')), JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/list' })]
const line = fc.oneof(
  fc.constantFrom(...odd),
  fc.json(),
  fc.string({ maxLength: 60 }),
  // A valid line with something removed or inserted.
  fc
    .tuple(fc.constantFrom(...valid), fc.nat(100), fc.nat(20), fc.string({ maxLength: 5 }))
    .map(([text, at, cut, put]) => text.slice(0, at % text.length) + put + text.slice((at % text.length) + cut)),
)

describe('S8 lines of JSON-RPC', () => {
  it(`from an agent over ACP: each is handled or reported, and the next one still works (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 15 }), fc.integer({ min: 1, max: 50 }), (lines, size) => {
        const heard: string[] = []
        const named: unknown[] = []
        const intake = createMessageReader({
          start: 0,
          log: { ...silentLogger, warn: (fields: object) => void named.push(fields) },
          update: (_, offset) => void heard.push(`update ${offset}`),
          dialect: (_, offset) => void heard.push(`dialect ${offset}`),
          call: (message, offset) => void heard.push(`${offset} ${JSON.stringify(message).slice(0, 60)}`),
        })
        const texts = lines.map((text) => text.replaceAll(/[\r\n]/g, ' '))
        const bytes = Buffer.from(`${texts.join('\n')}\n{"jsonrpc":"2.0","id":"last","method":"x"}\n`)
        for (let at = 0; at < bytes.length; at += size) intake.push(bytes.subarray(at, at + size))
        const some = texts.filter(
          (text) =>
            Buffer.from(text)
              .toString()
              .replace(/^\ufeff/, '')
              .trim() !== '',
        )
        expect(heard.length + named.length, 'each line once').toBe(some.length + 1)
        expect(heard.at(-1)).toContain('"last"')
      }),
      { seed, numRuns: 300 },
    )
  })

  it(`over MCP: refused with a message, and no other session is affected (seed ${seed})`, async () => {
    await using harness = await openMcpHarness()
    await using other = await harness.connect()
    const held = await other.begin('check_auto_approve', { tool_name: 'make', kind: 'terminal_command' })
    const wire = wireTo(harness.server.address, { authorization: `Bearer ${harness.token}` })
    const opened = await wire.post(initialize())
    await opened.text()
    const session = {
      'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
      'mcp-protocol-version': '2025-11-25',
    }
    const codes = new Map<number, number>()
    for (const [at, text] of fc.sample(line, { seed, numRuns: 150 }).entries()) {
      const response = await wire.post(text, at % 2 === 0 ? session : {})
      const body = await response.text()
      codes.set(response.status, (codes.get(response.status) ?? 0) + 1)
      expect(response.status, text.slice(0, 200)).toBeLessThan(500)
      expect(response.status < 400 || body.length > 10, text.slice(0, 200)).toBe(true)
    }
    console.log(`MCP lines (seed ${seed}): ${JSON.stringify(Object.fromEntries(codes))}`)
    await harness.answer(held.ask, approve)
    expect(await held.done).toMatchObject({ auto_approved: true })
    const after = await wire.post(call(99, 'heartbeat'), session)
    expect(await after.text()).toContain('"id":99')
    expect(harness.server.log()).not.toMatch(/unhandled|TypeError|RangeError/i)
  })
})
