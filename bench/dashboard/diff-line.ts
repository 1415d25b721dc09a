import type { CDPSession, Page } from 'playwright-core'
import { forInformation, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { bigDiff } from './big-diff.ts'
import { openDashboardHarness, type DashboardHarness } from './harness.ts'
import { watchDiff } from './in-page.ts'

const sizes = { ours: 3000, peer: 30 }

export const dashboardDiff: Line = {
  name: 'dashboard-diff',
  measured: `An ask with a diff of ${sizes.ours.toLocaleString('en')} lines in 10 TypeScript files, new to the page, is
clicked in the inbox. Timed until its visible lines are painted (the rest is rendered on scrolling), and how long the
page's main thread was busy until its colours are shown, too. The peer is the same page with a diff of ${sizes.peer}
lines.`,
  async run({ folder, quick }) {
    await using dashboard = await openDashboardHarness(folder)
    await using visit = await dashboard.visit('owner')
    const { page } = visit
    const devtools = await visit.context.newCDPSession(page)
    await devtools.send('Performance.enable')
    await page.goto(`${dashboard.address}/`)
    const busy = { ours: [] as number[], peer: [] as number[] }
    const side = (name: 'ours' | 'peer') => async () => {
      const opened = await openDiff(dashboard, page, devtools, sizes[name])
      busy[name].push(opened.busyMs)
      return opened.paintedMs
    }
    const painted = await interleaved(quick ? 3 : 7, { peer: side('peer'), ours: side('ours') })
    const figure = (name: string, title: string, ours: number[], peer: number[]) =>
      forInformation({
        name: `dashboard-diff/${name}`,
        title,
        unit: 'ms',
        ours: sampleOf(ours),
        peer: sampleOf(peer),
        ratio: ratioOf(ours, peer),
      })
    return [
      figure('painted', 'A diff of 3,000 lines, click to painted', painted.ours, painted.peer),
      figure('main-thread', 'A diff of 3,000 lines, main thread at work', busy.ours.slice(1), busy.peer.slice(1)),
    ]
  },
}

async function openDiff(dashboard: DashboardHarness, page: Page, devtools: CDPSession, lines: number) {
  const id = await dashboard.ask(`Change ${lines} lines`, { kind: 'diff', ...bigDiff(lines) })
  const link = page.locator(`[data-key="ask:${id}"] a`)
  await link.waitFor()
  await page.evaluate(watchDiff)
  const before = await taskMs(devtools)
  await link.click()
  await page.waitForFunction(() => globalThis.paintedAfter)
  const paintedMs = await page.evaluate(() => globalThis.paintedAfter ?? Number.NaN)
  await page.locator('.diff [class*="diff-token-"]').first().waitFor()
  const busyMs = (await taskMs(devtools)) - before
  await dashboard.server.call('POST', `/api/asks/${id}/cancel`, {})
  await page.goto(`${dashboard.address}/`)
  return { paintedMs, busyMs }
}

async function taskMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
}
