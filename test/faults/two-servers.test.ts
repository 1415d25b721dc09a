import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { get } from '../support/kill-harness-http.ts'
import { sqliteRows } from '../support/kill-harness-rows.ts'
import { freshHome, startLife, startReady } from '../support/kill-harness-server.ts'
import { scale } from '../support/scale.ts'

const rounds = scale({ test: 3, long: 12 })

describe('servers started in the same home at the same moment', () => {
  it('leave one running; the others say so and exit 1', async () => {
    using home = freshHome()
    // The first round has a new home, later ones the socket of a killed server.
    for (let round = 1; round <= rounds; round += 1) {
      const lives = await Promise.all([1, 2, 3, 4].map(() => startLife({ home: home.path })))
      await using stack = new AsyncDisposableStack()
      lives.forEach((life) => stack.use(life))
      const outcomes = await Promise.all(
        lives.map((life) =>
          Promise.race([
            life.ready.then(
              () => 'running',
              () => 'ended',
            ),
            life.exited.then(() => 'ended'),
          ]),
        ),
      )
      expect(outcomes.toSorted(), `round ${round}`).toEqual(['ended', 'ended', 'ended', 'running'])
      const running = lives.filter((_, at) => outcomes[at] === 'running')
      for (const life of running) {
        expect((await get(life.socketPath, '/api/status')).body['pid']).toBe(life.pid)
      }
      for (const life of lives.filter((one) => !running.includes(one))) {
        expect(await life.exited).toEqual({ code: 1, signal: null })
        expect(life.printed()).toContain('Signalbox is already running for this data directory')
        expect(life.printed()).toContain('SIGNALBOX_HOME')
      }
    }
    expect(sqliteRows(join(home.path, 'signalbox.db')).users).toHaveLength(1)
  })

  it('do not disturb one that is running', async () => {
    using home = freshHome()
    await using first = await startReady({ home: home.path })
    await using second = await startLife({ home: home.path })
    expect(await second.exited).toEqual({ code: 1, signal: null })
    expect((await get(first.socketPath, '/api/status')).body['pid']).toBe(first.pid)
  })
})
