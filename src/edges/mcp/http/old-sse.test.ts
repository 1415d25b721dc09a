import { Client, SSEClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { openMcpHttpHarness } from '../../../../test/support/mcp-http-harness.ts'
import { until } from '../../../../test/world.ts'

describe('the 2024 transport', () => {
  it('serves the official client, and its calls end with its stream', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    const client = new Client({ name: 'old', version: '1' })
    await client.connect(new SSEClientTransport(new URL(`${life.url}/sse`)))
    const { content } = await client.callTool({ name: 'echo', arguments: { a: 1 } })
    expect(content).toEqual([{ type: 'text', text: '{"a":1}' }])
    const held = client.callTool({ name: 'hold' }).catch((error: unknown) => error)
    const hold = await until(() => life.holds[0])
    expect([...life.mcp.held()]).toEqual([[harness.attached[0], 1]])
    await client.close()
    expect(await held).toBeInstanceOf(Error)
    await until(() => hold.context.mcpReq.signal.aborted)
    expect(life.mcp.held().size).toBe(0)
  })

  it('accepts messages only for a stream of the same caller', async () => {
    await using harness = await openMcpHttpHarness()
    await using life = await harness.begin()
    harness.admit('other', {})
    const response = await fetch(`${life.url}/sse`, { headers: { accept: 'text/event-stream' } })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const { value = '' } = (await reader?.read()) ?? {}
    const endpoint = /^event: endpoint\ndata: (\S+)\n\n$/.exec(value)?.[1] ?? ''
    const post = (headers: Record<string, string>, path = endpoint) =>
      fetch(new URL(path, life.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      })
    expect((await post({ authorization: 'Bearer other' })).status).toBe(404)
    expect((await post({}, '/messages?sessionId=nobody')).status).toBe(404)
    expect((await post({})).status).toBe(202)
    expect((await reader?.read())?.value).toContain('"result":{}')
    await reader?.cancel()
  })
})
