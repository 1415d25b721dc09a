import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAgentsHarness, type AgentsHarness } from '../conformance/agents-harness.ts'
import { containersOf, engineCall, engineSocket } from '../support/engines.ts'
import { figure, long, scale } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { engines } from './container-harness.ts'

type Shown = {
  id: string
  status: string
  activity: string | null
  containerStatus: string
  queuePosition: number | null
}

const cap = 2

describe.each(engines.filter((_, index) => long || index === 0))(
  'the life of containers with $name',
  ({ name, missing }) => {
    let harness: AgentsHarness
    const open = (max: number) =>
      openAgentsHarness({
        config:
          `[acp]\nmax_sessions = 1000\nstartup_timeout_seconds = 60\nrestart_on_crash = true\n` +
          `[containers]\nengine = ${JSON.stringify(engineSocket(name))}\nmax = ${max}\n`,
      })
    beforeAll(async () => {
      if (missing !== null) return
      harness = await open(cap)
    })
    afterAll(() => harness?.[Symbol.asyncDispose]())

    const shown = ({ id }: { id: string }) => harness.api.get<Shown>(`/api/sessions/${id}?messages=none`)
    const start = async (prompt?: string) =>
      harness.api.post<Shown>('/api/sessions', {
        agent: 'practice',
        isolation: 'container',
        workspaceRoot: await harness.workspace(),
        ...(prompt !== undefined && { prompt }),
      })
    const until_ = (session: { id: string }, want: Partial<Shown>) =>
      until(
        async () => {
          const now = await shown(session)
          return Object.entries(want).every(([key, value]) => now[key as keyof Shown] === value) ? now : null
        },
        { what: `${session.id} as ${JSON.stringify(want)}`, seconds: 60 },
      )
    const running = ({ id }: { id: string }) => containersOf(engineSocket(name), { id })
    const end = (session: { id: string }) => harness.api.delete(`/api/sessions/${session.id}`)

    it.skipIf(missing !== null)(
      'C9 container_status is running in a turn, idle between turns and stopped without a container, also after kill -9',
      async () => {
        const session = await start()
        await harness.say(session, '/remember the tank')
        await until_(session, { containerStatus: 'idle', activity: 'idle' })
        await harness.prompt(session, '/stall')
        await until_(session, { containerStatus: 'running', activity: 'working' })
        await harness.server.kill('SIGKILL')
        await harness.server.restart()
        expect(await shown(session)).toMatchObject({ containerStatus: 'running', activity: 'working' })
        expect(await running(session)).toHaveLength(1)
        await harness.api.post(`/api/sessions/${session.id}/turn/cancel`)
        await until_(session, { containerStatus: 'idle' })
        await harness.api.post(`/api/sessions/${session.id}/sleep`, {})
        expect(await shown(session)).toMatchObject({ containerStatus: 'stopped', activity: 'asleep' })
        await until(async () => (await running(session)).length === 0, { what: 'the end of the container' })
        expect(await harness.say(session, '/recall')).toBe('I remember: the tank')
        expect(await running(session)).toHaveLength(1)
        await end(session)
        expect(await shown(session)).toMatchObject({ containerStatus: 'stopped', status: 'cancelled' })
      },
    )

    it.skipIf(missing !== null)('C9 a restart with an on_wake message gives the session a new container', async () => {
      const session = await start()
      await harness.say(session, '/remember the package')
      const [before] = await running(session)
      await harness.api.post(`/api/sessions/${session.id}/restart-agent`, { onWake: '/recall' })
      await harness.saying(session, 'I remember: the package')
      const after = await running(session)
      expect(after).toHaveLength(1)
      expect(after[0]!.Id).not.toBe(before!.Id)
      await end(session)
    })

    it.skipIf(missing !== null)(
      'A9 C9 a container that is killed is restarted with backoff, with its conversation',
      async () => {
        const session = await start()
        await harness.say(session, '/remember the kill')
        const [before] = await running(session)
        await engineCall(engineSocket(name), 'POST', `/v1.41/containers/${before!.Id}/kill`)
        const isNew = async () => (await running(session)).some(({ Id }) => Id !== before!.Id)
        await until(isNew, { what: 'a new container', seconds: 60 })
        await until_(session, { containerStatus: 'idle' })
        expect(await harness.say(session, '/recall')).toBe('I remember: the kill')
        await end(session)
      },
    )

    it.skipIf(missing !== null)(
      'C9 R4 beyond the cap sessions wait for a container, first come, first served, over kill -9, and can be cancelled',
      async () => {
        const busy = [await start('/stall'), await start('/stall')]
        for (const session of busy) await until_(session, { containerStatus: 'running' })
        const waiting: Shown[] = []
        for (const n of [1, 2, 3]) waiting.push(await start(`/say ${n}`))
        expect(waiting).toMatchObject(
          [1, 2, 3].map((queuePosition) => ({ status: 'created', activity: 'queued', queuePosition })),
        )
        await end(waiting[1]!)
        expect(await shown(waiting[2]!)).toMatchObject({ queuePosition: 2, containerStatus: 'stopped' })
        await harness.server.kill('SIGKILL')
        await harness.server.restart()
        expect(await shown(waiting[0]!)).toMatchObject({ activity: 'queued', queuePosition: 1 })
        await end(busy[0]!)
        await harness.saying(waiting[0]!, '1')
        // Idle, it gives way to the next one.
        await harness.saying(waiting[2]!, '3')
        await until_(waiting[0]!, { activity: 'asleep' })
        for (const session of [busy[1]!, waiting[0]!, waiting[2]!]) await end(session)
      },
    )

    it.skipIf(missing !== null)(
      'C9 R4 many sessions pass through a cap of four in order, none starves, and never more containers run than it allows',
      { timeout: 400_000 },
      async () => {
        const [many, most] = [scale({ test: 8, long: 20 }), 4]
        await using crowd = await open(most)
        const sessions: Shown[] = []
        for (let n = 0; n < many; n += 1)
          sessions.push(
            await crowd.api.post<Shown>('/api/sessions', {
              agent: 'practice',
              isolation: 'container',
              workspaceRoot: await crowd.workspace(),
              prompt: `/slow 10 50\n/say done ${n}`,
            }),
          )
        let seen = 0
        const done: number[] = []
        await until(
          async () => {
            const held = await Promise.all(sessions.map(running))
            seen = Math.max(seen, held.flat().filter(({ State }) => State === 'running').length)
            for (const [n, session] of sessions.entries())
              if (!done.includes(n) && (await crowd.said(session)).includes(`done ${n}`)) done.push(n)
            return done.length === many
          },
          { what: 'all sessions', seconds: 380 },
        )
        // First come, first served: nobody ends before more than those that run beside it.
        for (const [place, n] of done.entries()) expect(Math.abs(place - n)).toBeLessThan(2 * most)
        figure(
          `containers queued with ${name}`,
          `${many} sessions through a cap of ${most}: all done, at most ${seen} at once`,
        )
        expect(seen).toBeGreaterThan(1)
        expect(seen).toBeLessThanOrEqual(most)
        for (const session of sessions) await crowd.api.delete(`/api/sessions/${session.id}`)
      },
    )
  },
)
