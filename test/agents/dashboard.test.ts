import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { sizes, type Size } from '../support/dashboard.ts'
import { scriptOf } from '../support/agents/model/script.ts'
import { until } from '../support/until.ts'
import { openRealAgentHarness, type RealAgentHarness } from './real-agent-harness.ts'

describe('a real agent, answered in a browser', () => {
  let harness: RealAgentHarness
  beforeAll(async () => {
    harness = await openRealAgentHarness('opencode')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.for<Size>(['desktop', 'phone'])(
    'B1 A7 on a %s: its edit is shown, allowed and written, and its text streams',
    async (size, context) => {
      const name = `signals-${size}.txt`
      const path = harness.path(name)
      await writeFile(path, 'red\namber\ngreen\n')
      const edit = { path, old: 'amber\n', new: 'yellow\n' }
      const session = await harness.start({
        prompt: scriptOf({ read: { path } }, { edit }, { say: 'The lamps are set.' }),
      })
      await using browser = await openBrowser(context)
      const page = await browser.newPage({ viewport: sizes[size] })
      const { url } = await harness.server.api().post<{ url: string }>('/api/login-links', {})
      await page.goto(url)
      await page.waitForURL(`${harness.server.address}/`)
      const ask = await harness.openAsk(session)
      await page.goto(`${harness.server.address}/asks/${ask.id}`)
      await page.getByText('yellow').first().waitFor()
      await page.getByText('amber').first().waitFor()
      expect(await harness.text(name)).toBe('red\namber\ngreen\n')
      await page.getByRole('group', { name: 'Answer' }).getByRole('button', { name: 'Allow' }).click()
      await until(async () => (await harness.text(name)) === 'red\nyellow\ngreen\n', { seconds: 60, what: 'the edit' })
      await page.goto(`${harness.server.address}/sessions/${session.id}`)
      await page.getByText('The lamps are set.', { exact: true }).last().waitFor({ timeout: 60_000 })
      await harness.end(session)
    },
  )
})
