import { expect, it } from 'vitest'
import '../../support/chats/loopback-guard.ts'
import { until } from '../../support/until.ts'
import { signIn } from '../people.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openChatsHarness } from './harness.ts'
import { openSlackDriver } from './slack-driver.ts'

type Run = { status: string; sessionId: string | null }

it('C8 R14 a scheduled agent of an agent group asks its creator in a direct chat, and nobody else', async () => {
  await using harness = await openChatsHarness(openSlackDriver)
  const [ann, eve] = [await harness.member('Ann'), await harness.linked('Eve')]
  const { api } = await signIn(harness.server, ann.userId)
  const made = await api.post<{ id: string }>('/api/schedules', {
    prompt: '/write report.txt All clear.',
    at: new Date(Date.now() + 3000).toISOString(),
    agentGroupId: harness.groupId,
  })
  const card = await until(() => ann.direct().find(({ buttons }) => buttons.length > 0), {
    what: 'the card',
    seconds: 30,
  })
  expect(card.text).toContain('report.txt')
  expect(eve.direct()).toEqual([])
  ann.clicks(card, 'Approve')
  const run = await until(
    async () => (await api.list<Run>(`/api/schedules/${made.id}/runs`)).find(({ status }) => status === 'completed'),
    { what: 'the end of the run', seconds: 30 },
  )
  const [session] = await harness.sessions()
  expect(session).toMatchObject({ id: run.sessionId, agentGroupId: harness.groupId, ownerUserId: ann.userId })
  expect(await readFile(join(harness.workspace, 'report.txt'), 'utf8')).toBe('All clear.\n')
})
