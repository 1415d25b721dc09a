import { readdirSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRunning, openTerminalHarness, type Terminal, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { scale } from '../support/scale.ts'

const pidOf = async (harness: TerminalHarness, id: string): Promise<number> =>
  Number.parseInt((await harness.prints(id, /^\d+\r?\n/)).text, 10)

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)

/** While the server does not know yet that the keeper ended, a start may be refused. */
const startSoon = (harness: TerminalHarness, script: string): Promise<Terminal> =>
  until(async () => {
    const body = { sessionType: 'script', command: ['sh', '-c', script] }
    const reply = await harness.owner.send('POST', '/api/terminals', { body })
    expect([201, 503]).toContain(reply.status)
    return reply.status === 201 ? (reply.body as Terminal) : null
  })

describe('the program in a terminal', () => {
  it('killed with -9 ends the session with an error that says so, and affects no other', async () => {
    await using harness = await openTerminalHarness()
    const [one, two] = [await harness.run('echo $$; exec sleep 600'), await harness.run('echo $$; cat')]
    process.kill(await pidOf(harness, one.sessionId), 'SIGKILL')
    expect(await harness.ended(one.sessionId)).toMatchObject({ status: 'error', exitCode: null, exitSignal: 'SIGKILL' })
    const events = (await harness.owner.send('GET', '/api/audit/export')).text
    expect(events).toMatch(/SIGKILL/)
    expect(await harness.get(two.sessionId)).toMatchObject({ state: 'active' })
    const said = await harness.owner.get<{ events: { text: string }[] }>(
      `/api/catch-up?sessionId=${one.sessionId}&since=2000-01-01T00:00:00Z`,
    )
    expect(said.events.map(({ text }) => text).join('\n')).toMatch(/SIGKILL|killed/i)
  })

  it('whose keeper is killed with -9 is interrupted; the server keeps running and can start new ones', async () => {
    await using harness = await openTerminalHarness()
    const one = await harness.run('echo $$; cat')
    const pid = await pidOf(harness, one.sessionId)
    process.kill(harness.keeperPid(), 'SIGKILL')
    expect(await harness.ended(one.sessionId)).toMatchObject({ status: 'interrupted' })
    // Its terminal is gone with the keeper.
    await until(() => !isRunning(pid))
    expect((await harness.updates(one.sessionId)).text).toContain(String(pid))
    const next = await startSoon(harness, 'printf "Here? "; read a; echo "got $a"; exit 0')
    await harness.answer(next.sessionId, /Here/, 'y')
    await harness.ended(next.sessionId)
    expect((await harness.updates(next.sessionId)).text).toContain('got y')
  })

  it('whose keeper is killed together with the server is interrupted at the next start', async () => {
    await using harness = await openTerminalHarness()
    const one = await harness.run('echo $$; cat')
    await pidOf(harness, one.sessionId)
    const keeper = harness.keeperPid()
    await harness.crash()
    process.kill(keeper, 'SIGKILL')
    await harness.restart()
    expect(await harness.ended(one.sessionId)).toMatchObject({ status: 'interrupted' })
    const next = await harness.run('echo here')
    await harness.ended(next.sessionId)
  })

  it('many times over leaves nothing behind: no process, no open file, only recordings', async () => {
    await using harness = await openTerminalHarness()
    const round = async (count: number) => {
      const started = await Promise.all(
        Array.from({ length: count }, (_, n) =>
          harness.run(`echo "number ${n}"; ${n % 4 === 0 ? 'read a' : `exit ${n % 3}`}`),
        ),
      )
      for (const [n, { sessionId: id }] of started.entries())
        if (n % 4 === 0) await harness.owner.post(`/api/terminals/${id}/end`)
      for (const { sessionId } of started) await harness.ended(sessionId, 60)
      return started
    }
    await round(10)
    const settled = () => [openFiles(harness.server.pid), openFiles(harness.keeperPid())] as const
    await until(() => harness.programs().length === 0)
    const before = settled()
    const all = []
    const rounds = scale({ test: 2, long: 8 })
    for (let n = 0; n < rounds; n += 1) all.push(...(await round(25)))
    await until(() => harness.programs().length === 0, { what: 'the end of all programs' })
    await until(
      () => {
        const now = settled()
        return now[0] <= before[0] + 3 && now[1] <= before[1] + 3
      },
      { what: `as few open files as before (${before.join(', ')})` },
    )
    expect(childrenOf(harness.keeperPid())).toEqual([])
    expect(new Set(await readdir(join(harness.server.home, 'terminals'))).size).toBe(10 + 25 * rounds)
    const kept = await Promise.all(
      all.map(({ sessionId }) => readdir(join(harness.server.home, 'terminals', sessionId))),
    )
    expect(new Set(kept.flat().map((name) => name.replace(/^\d+/, '')))).toEqual(new Set(['.cast', '.index']))
    const spool = await readdir(join(harness.server.home, 'run', 'spool')).catch(() => [])
    expect(spool).toEqual([])
  })
})
