import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { openRealAgentHarness, type AgentSession, type RealAgentHarness } from './real-agent-harness.ts'

/** Where OpenCode listens. */
const port = 4096

/** Whether anything listens there on this machine. */
const isTaken = () =>
  readFileSync('/proc/net/tcp', 'utf8').includes(`0100007F:${port.toString(16).toUpperCase()} 00000000:0000 0A`)

const look = `node -e "fetch('http://127.0.0.1:${port}/session').then((a) => console.log('answered', a.status), (e) => console.log(e.cause.code))"`

describe.runIf(sandboxWorks())('the server that OpenCode opens', () => {
  let harness: RealAgentHarness
  beforeAll(async () => {
    harness = await openRealAgentHarness('opencode')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function looked(session: AgentSession): Promise<string> {
    const turn = await harness.prompt(session, { shell: { command: look } }, { say: 'Looked.' })
    await harness.answer(await harness.openAsk(session), 'allow_once')
    await harness.settled(turn)
    return harness.transcript(session)
  }

  it('S4 is only on its session’s loopback, and has a password', async () => {
    const before = isTaken()
    const sessions = [await harness.start(), await harness.start()]
    expect(isTaken()).toBe(before)
    // Both have the same port, each in its own network.
    for (const session of sessions) expect(await looked(session)).toContain('answered 401')
  })

  it('S4 has a password without a sandbox too', async ({ skip }) => {
    skip(isTaken(), `another program of this machine has port ${port}`)
    const session = await harness.start({ isolation: 'none' })
    expect(isTaken()).toBe(true)
    expect((await fetch(`http://127.0.0.1:${port}/session`)).status).toBe(401)
    expect(await looked(session)).toContain('answered 401')
  })
})
