import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openNetworkHarness } from '../security/network-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'

/** A model that answers piece by piece, on request. */
async function slowModel() {
  const answers: ServerResponse[] = []
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    answers.push(response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const relaysOf = (home: string) => readdirSync(join(home, 'run')).filter((name) => name.startsWith('relay-'))

describe.runIf(sandboxWorks())('an agent that talks to its model through the relay', () => {
  it('S4 R23 continues when the server is killed midway, and finds our tools again when it is back', async () => {
    await using model = await slowModel()
    await using harness = await openNetworkHarness(`local_ports = [${model.port}]\n`)
    const session = await harness.hostile()
    const turn = await harness.prompt(session, `stream http://127.0.0.1:${model.port}/`)
    const answer = await until(() => model.answers[0] ?? null, { what: 'the call of the model' })
    answer.write('before ')
    await harness.saying(session, 'before ')
    await harness.server.kill('SIGKILL')
    for (let count = 0; count < 20; count += 1) answer.write(`piece${count} `)
    answer.end('after')
    await harness.server.restart()
    await harness.settled(turn)
    const pieces = Array.from({ length: 20 }, (_, count) => `piece${count} `).join('')
    expect(await harness.said(session)).toBe(`before ${pieces}afterEND`)

    const { url, headers } = await harness.ours(session)
    const itself = url.replace('/mcp', `/api/sessions/${session.id}`)
    const authorization = headers[0]!.value
    const came = await harness.attempts(session, { itself: { kind: 'get', url: itself, headers: { authorization } } })
    expect(came.itself).toMatch(/^200 /)
  })

  it('S4 gets a large answer whole, at the pace of its reader, and leaves no socket behind', async () => {
    await using model = await slowModel()
    await using harness = await openNetworkHarness(`local_ports = [${model.port}]\n`)
    const session = await harness.hostile()
    const turn = await harness.prompt(session, `stream http://127.0.0.1:${model.port}/`)
    const answer = await until(() => model.answers[0] ?? null, { what: 'the call of the model' })
    const whole = Array.from({ length: 20_000 }, (_, count) => `line ${count}\n`).join('')
    answer.end(whole)
    await harness.settled(turn)
    expect(await harness.said(session)).toBe(`${whole}END`)
    expect(relaysOf(harness.server.home)).toHaveLength(1)
    await harness.api.post(`/api/sessions/${session.id}/complete`)
    await until(() => relaysOf(harness.server.home).length === 0, { what: 'the end of the relay' })
  })
})
