import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import '../support/chats/loopback-guard.ts'
import { openChatsHarness } from '../conformance/chats/harness.ts'
import { openSlackDriver } from '../conformance/chats/slack-driver.ts'
import { signIn } from '../conformance/people.ts'
import { engineSocket } from '../support/engines.ts'
import { long } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { engines } from './container-harness.ts'

type Run = { status: string; sessionId: string | null }

describe.each(engines.filter((_, index) => long || index === 0))(
  'a scheduled agent in a container of $name',
  ({ name, missing }) => {
    it.skipIf(missing !== null)('C8 C9 R14 asks its creator in a chat, and does what was approved', async () => {
      const config = () => `[containers]\nengine = ${JSON.stringify(engineSocket(name))}\n`
      await using harness = await openChatsHarness(openSlackDriver, { config })
      const { api: owner } = harness
      await owner.send('PATCH', `/api/agent-groups/${harness.groupId}/config`, { body: { isolation: 'container' } })
      const ann = await harness.member('Ann')
      const { api } = await signIn(harness.server, ann.userId)
      const made = await api.post<{ id: string }>('/api/schedules', {
        prompt: '/write report.txt All clear.',
        at: new Date(Date.now() + 2000).toISOString(),
        agentGroupId: harness.groupId,
      })
      const card = await until(() => ann.direct().find(({ buttons }) => buttons.length > 0), {
        what: 'the card',
        seconds: 60,
      })
      expect(card.text).toContain('report.txt')
      ann.clicks(card, 'Approve')
      const run = await until(
        async () =>
          (await api.list<Run>(`/api/schedules/${made.id}/runs`)).find(({ status }) => status === 'completed'),
        { what: 'the end of the run', seconds: 60 },
      )
      expect(await readFile(join(harness.workspace, 'report.txt'), 'utf8')).toBe('All clear.\n')
      const session = await owner.get<{ isolation: string }>(`/api/sessions/${run.sessionId}?messages=none`)
      expect(session.isolation).toBe('container')
    })
  },
)
