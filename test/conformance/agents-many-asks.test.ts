import { expect, it } from 'vitest'
import { scale } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, plainAgent } from './agents-harness.ts'

/** No more than 500 of one agent are taken at once. */
const [agents, each] = scale({ test: [4, 60], long: [4, 250] })

it(`X9 while agents ask ${agents * each} things at once, others are served`, { timeout: 180_000 }, async () => {
  await using harness = await openAgentsHarness({ config: `[acp]\nmax_sessions = 100\n${plainAgent('plain')}` })
  const { api } = harness
  const sessions = await Promise.all(Array.from({ length: agents }, () => harness.start({ agent: 'plain' })))
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }]
  const permissions = Array.from({ length: each }, (_, index) => [
    'session/request_permission',
    { options, toolCall: { toolCallId: `call-${index}`, title: `Step ${index}`, kind: 'other' } },
  ])
  const openAsks = async () => (await api.get<{ total: number }>('/api/inbox')).total
  for (const session of sessions) await harness.prompt(session, `calls ${JSON.stringify([permissions])}`)
  await until(async () => (await openAsks()) > 0, { what: 'the first ask' })
  // What someone else writes waits for the few that are being opened, not for all of them.
  const seen = new Set<number>()
  await until(
    async () => {
      await api.post('/api/users', { displayName: `Person ${seen.size}` })
      const open = await openAsks()
      seen.add(open)
      return open === agents * each
    },
    { what: 'all asks', seconds: 120 },
  )
  expect(Math.min(...seen), 'somebody was served before all were open').toBeLessThan(agents * each)
})
