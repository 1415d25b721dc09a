import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentSession } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { bystander, openNetworkHarness, type NetworkHarness } from './network-harness.ts'

/** A free port. */
async function freePort(): Promise<number> {
  await using one = await bystander('127.0.0.1')
  return one.port
}

describe.runIf(sandboxWorks())('two agents, each in its sandbox', () => {
  let harness: NetworkHarness
  let victim: AgentSession
  let other: AgentSession
  beforeAll(async () => {
    harness = await openNetworkHarness()
    ;[victim, other] = [await harness.hostile(), await harness.hostile()]
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('S4 do not reach ports the other listens on, as OpenCode and Kilo do', async () => {
    const port = await freePort()
    expect(await harness.say(victim, `listen ${port}`)).toBe('listening')
    const came = await harness.attempts(other, {
      direct: { kind: 'tcp', host: '127.0.0.1', port },
      proxy: { kind: 'proxy', target: `127.0.0.1:${port}` },
      port: { kind: 'line', line: `port ${port}` },
      tcp: { kind: 'line', line: `tcp 127.0.0.1 ${port}` },
    })
    expect(JSON.stringify(came)).not.toContain('AGENT')
    expect(came.direct).toBe('ECONNREFUSED')
    // The same port is free for the other.
    expect(await harness.say(other, `listen ${port}`)).toBe('listening')
  })

  it('S4 nor does a command that Signalbox runs for one of them, which still reaches its model and the internet', async () => {
    await using model = await bystander('127.0.0.1')
    await using own = await openNetworkHarness('', {})
    await own.server.restart(`[acp]\nmax_sessions = 1000\nlocal_ports = [${model.port}]\n`)
    const session = await own.start({ isolation: 'sandbox' })
    const port = await freePort()
    const script = [
      `const to = (port) => fetch('http://127.0.0.1:' + port).then((a) => a.text(), (e) => e.cause.code)`,
      `console.log('model', await to(${model.port}))`,
      `console.log('other', await to(${port}))`,
      `console.log('proxy', process.env.HTTPS_PROXY)`,
    ].join('\n')
    const { writeFile } = await import('node:fs/promises')
    await writeFile(`${session.workspaceRoot}/look.mjs`, script)
    const turn = await own.prompt(session, `/term ${process.execPath} look.mjs`)
    await own.answer(await own.openAsk(session), { outcome: 'approve' })
    await own.settled(turn)
    const said = await own.said(session)
    expect(said).toContain('model SECRET')
    expect(said).toContain('other ECONNREFUSED')
    expect(said).toContain('proxy http://127.0.0.1:')
  })
})
