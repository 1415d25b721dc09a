import { spawn } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentProgram } from '../../scripts/lib/agents.mjs'
import { scriptOf } from '../support/agents/model/script.ts'
import { processesAtHome, sandboxWorks } from '../support/agents/processes.ts'
import { profileOf } from '../support/agents/profiles.ts'
import { until } from '../support/until.ts'
import { openRealAgentHarness, type RealAgentHarness } from './real-agent-harness.ts'

/** Hubs in this home that run outside every sandbox. */
const hubsOutside = (home: string): number[] =>
  processesAtHome(home).filter((pid) => {
    try {
      const isHub = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('cline-hub')
      return isHub && readlinkSync(`/proc/${pid}/ns/pid`) === readlinkSync('/proc/self/ns/pid')
    } catch {
      return false
    }
  })

/** The sockets of a process: an additional one was opened by someone. */
const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length

describe.runIf(sandboxWorks())('a Cline hub that runs outside the sandbox', () => {
  let harness: RealAgentHarness
  let home: string
  beforeAll(async () => {
    harness = await openRealAgentHarness('cline')
    home = resolve(harness.path('..'), 'home')
  })
  afterAll(async () => {
    for (const pid of home === undefined ? [] : hubsOutside(home)) process.kill(pid, 'SIGKILL')
    await harness?.[Symbol.asyncDispose]()
  })

  /** Cline as a person runs it, without Signalbox: it leaves a hub behind. */
  async function leaveHub(): Promise<number> {
    const { env } = profileOf('cline', { home, modelUrl: harness.model.url })
    const child = spawn(agentProgram('cline'), ['--acp'], {
      env,
      cwd: harness.path('.'),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const ask = async (id: number, method: string, params: object): Promise<Record<string, unknown>> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
      for (;;) {
        const { value } = await lines.next()
        const message = JSON.parse(String(value)) as { id?: number; result?: Record<string, unknown> }
        if (message.id === id && 'result' in message) return message.result ?? {}
      }
    }
    await ask(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await ask(2, 'session/new', { cwd: harness.path('.'), mcpServers: [] })
    const text = scriptOf({ say: 'Here.' })
    await ask(3, 'session/prompt', { sessionId, prompt: [{ type: 'text', text }] })
    child.stdin.end()
    await until(() => child.exitCode !== null || child.signalCode !== null || child.kill(), {
      what: 'the end of Cline',
    })
    const [hub] = await until(() => (hubsOutside(home).length > 0 ? hubsOutside(home) : null), { what: 'its hub' })
    await until(() => socketsOf(hub!) > 0, { what: 'the hub listening' })
    return hub!
  }

  it('S4 runs nothing for a session in the sandbox, and receives nothing from it', { timeout: 180_000 }, async () => {
    const hub = await leaveHub()
    const sockets = socketsOf(hub)
    const database = join(harness.server.home, 'signalbox.db')
    const outside = resolve(harness.path('..'), 'outside.txt')
    const session = await harness.start()
    expect(session.isolation).toBe('sandbox')
    const command = `ls ${database} || echo no database; (echo x > ${outside}) || true; echo made > made.txt`
    const turn = await harness.prompt(session, { shell: { command } }, { say: 'Done.' })
    await harness.answer(await harness.openAsk(session), 'allow_once')
    await harness.settled(turn)
    expect(await harness.transcript(session)).toContain('no database')
    expect(await harness.text('made.txt')).toBe('made\n')
    expect(existsSync(database)).toBe(true)
    expect(existsSync(outside)).toBe(false)
    expect(hubsOutside(home)).toEqual([hub])
    expect(socketsOf(hub)).toBeLessThanOrEqual(sockets)
  })
})
