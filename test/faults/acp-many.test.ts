import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openYard, slowWords, textOf } from '../support/acp-yard.ts'
import { until } from '../support/until.ts'
import { scale } from '../support/scale.ts'

const many = scale({ test: 16, long: 50 })

it(`${many} agents at once all do their work, and one too many is refused`, async () => {
  await using yard = await openYard({ maxSessions: many })
  const places = Array.from({ length: many }, (_, n) => join(yard.workspace, `place-${n}`))
  for (const place of places) await mkdir(place)
  const prompt = '/slow 40 50\n/write a.txt hello\n/say the end'
  // As many at a time as people would start; all of them work at once then.
  const sessions = await Promise.all(places.map((workspaceRoot) => yard.start('practice', { workspaceRoot, prompt })))
  const refused = await yard.server
    .api()
    .refused('POST', '/api/sessions', { agent: 'practice', workspaceRoot: yard.workspace })
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
  expect(await yard.running()).toHaveLength(many)
  await Promise.all(
    sessions.map(async (session) => {
      await yard.answer(await yard.openAsk(session, 90))
      await until(async () => textOf((await yard.detail(session)).messages).endsWith('the end'), { seconds: 60 })
    }),
  )
  for (const [n, session] of sessions.entries()) {
    expect(textOf((await yard.detail(session)).messages)).toBe(`${slowWords(40)}write a.txt: done\nthe end`)
    expect(readFileSync(join(places[n] ?? '', 'a.txt'), 'utf8')).toBe('hello\n')
  }
  await yard.server.api().post('/api/stop', { agents: 'end' })
  await until(async () => (await yard.running()).length === 0 && yard.keeperPid() === null, { seconds: 30 })
})
