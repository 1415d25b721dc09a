import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openAcpHarness, slowWords, textOf } from '../support/acp-harness.ts'
import { until } from '../support/until.ts'
import { scale } from '../support/scale.ts'

const many = scale({ test: 16, long: 50 })

it(`${many} agents at once all do their work, and one too many is refused`, async () => {
  await using harness = await openAcpHarness({ maxSessions: many })
  const places = Array.from({ length: many }, (_, n) => join(harness.workspace, `place-${n}`))
  for (const place of places) await mkdir(place)
  const prompt = '/slow 40 50\n/write a.txt hello\n/say the end'
  // A few at a time, as people would start them; then all of them work at once.
  const sessions = await Promise.all(
    places.map((workspaceRoot) => harness.start('practice', { workspaceRoot, prompt })),
  )
  const refused = await harness.server
    .api()
    .refused('POST', '/api/sessions', { agent: 'practice', workspaceRoot: harness.workspace })
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
  expect(await harness.running()).toHaveLength(many)
  await Promise.all(
    sessions.map(async (session) => {
      await harness.answer(await harness.openAsk(session, 90))
      await until(async () => textOf((await harness.detail(session)).messages).endsWith('the end'), { seconds: 60 })
    }),
  )
  for (const [n, session] of sessions.entries()) {
    expect(textOf((await harness.detail(session)).messages)).toBe(`${slowWords(40)}write a.txt: done\nthe end`)
    expect(readFileSync(join(places[n] ?? '', 'a.txt'), 'utf8')).toBe('hello\n')
  }
  await harness.server.api().post('/api/stop', { agents: 'end' })
  await until(async () => (await harness.running()).length === 0 && harness.keeperPid() === null, { seconds: 30 })
})
