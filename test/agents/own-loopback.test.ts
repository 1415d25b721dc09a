import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { sitDown, type AgentSession, type Desk } from './desk.ts'

/** Where OpenCode listens. */
const port = 4096

/** Whether somebody listens there on this machine. */
const isTaken = () =>
  readFileSync('/proc/net/tcp', 'utf8').includes(`0100007F:${port.toString(16).toUpperCase()} 00000000:0000 0A`)

const look = `node -e "fetch('http://127.0.0.1:${port}/session').then((a) => console.log('answered', a.status), (e) => console.log(e.cause.code))"`

describe.runIf(sandboxWorks())('the server that OpenCode opens', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await sitDown('opencode')
  })
  afterAll(() => desk?.[Symbol.asyncDispose]())

  async function looked(session: AgentSession): Promise<string> {
    const turn = await desk.prompt(session, { shell: { command: look } }, { say: 'Looked.' })
    await desk.answer(await desk.openAsk(session), 'allow_once')
    await desk.settled(turn)
    return desk.transcript(session)
  }

  it('S4 is on the loopback of its session alone, and has a password', async () => {
    const before = isTaken()
    const sessions = [await desk.start(), await desk.start()]
    expect(isTaken()).toBe(before)
    // Two have the same port: each its own.
    for (const session of sessions) expect(await looked(session)).toContain('answered 401')
  })

  it('S4 has a password also without a sandbox', async () => {
    if (isTaken()) return
    const session = await desk.start({ isolation: 'none' })
    expect(isTaken()).toBe(true)
    expect((await fetch(`http://127.0.0.1:${port}/session`)).status).toBe(401)
    expect(await looked(session)).toContain('answered 401')
  })
})
