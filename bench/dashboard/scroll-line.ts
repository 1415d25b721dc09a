import type { CDPSession, Page } from 'playwright-core'
import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { sampleOf } from '../lib/sample.ts'
import { bigDiff } from './big-diff.ts'
import { openDashboardHarness, type DashboardHarness } from './harness.ts'
import { framesFrom } from './in-page.ts'

const sessions = 300
const files = 60
const slowdown = 4
const barMs = 50
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

export const dashboardScroll: Line = {
  name: 'dashboard-scroll',
  measured: `A phone (390×844, touch) at a quarter of the processor scrolls: the list of ${sessions} sessions, then an ask
with a diff of ${files} files of 100 lines, each all the way down in flicks of 800 pixels. The time of each frame is
taken from one \`requestAnimationFrame\` to the next while the page moves; the figure is the 95th percentile of all
frames of a round, the median of the rounds is judged. Page, browser and server share the machine.`,
  async run({ folder, quick }) {
    await using dashboard = await openDashboardHarness(folder)
    await fill(dashboard)
    const id = await dashboard.ask(`Change ${files} files`, { kind: 'diff', ...bigDiff(files * 100, 100) })
    const rounds = quick ? 2 : 5
    const list: number[] = []
    const diff: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      await using visit = await dashboard.visit('owner', phone)
      const { page } = visit
      const devtools = await visit.context.newCDPSession(page)
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
      await page.goto(`${dashboard.address}/sessions`)
      await page.locator('[data-row]').nth(5).waitFor()
      list.push(await scrolled(page, devtools))
      await page.goto(`${dashboard.address}/asks/${id}`)
      await page.locator('.diff tr.diff-added').first().waitFor()
      diff.push(await scrolled(page, devtools))
    }
    const figure = (name: string, title: string, ms: number[]): Figure => {
      const ours = sampleOf(ms)
      const told = forInformation({ name: `dashboard-scroll/${name}`, title, unit: 'ms', ours })
      return { ...told, bar: `≤ ${barMs} ms`, holds: ours.median <= barMs }
    }
    return [
      figure('list', `A list of ${sessions} scrolls on a slow phone, p95 of its frames`, list),
      figure('diff', `A diff of ${files} files scrolls on a slow phone, p95 of its frames`, diff),
    ]
  },
}

async function fill({ server }: DashboardHarness): Promise<void> {
  for (let number = 1; number <= sessions; number += 1) {
    const { id } = await server.call<{ id: string }>('POST', '/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: server.workspace,
      agent: number % 3 === 0 ? 'porter' : 'signal-man',
      prompt: `Shunt wagon ${number} to the far siding and tell the yard`,
    })
    // Only a few may be at work at once.
    await server.call('DELETE', `/api/sessions/${id}`)
  }
}

/** Fewer frames or less way than this is no scrolling that could be judged. */
const least = { frames: 60, pixels: 3000 }

/** Flicks down the page until its end, and returns the 95th percentile of the frames meanwhile. */
async function scrolled(page: Page, devtools: CDPSession): Promise<number> {
  await page.evaluate(framesFrom)
  const most = 40
  for (let flick = 0; flick < most; flick += 1) {
    await devtools.send('Input.synthesizeScrollGesture', {
      x: 195,
      y: 500,
      yDistance: -800,
      speed: 2400,
      // In a headless browser, gestures of touch do not move the page.
      gestureSourceType: 'mouse',
      preventFling: true,
    })
    if (await page.evaluate(() => globalThis.isAtEnd?.() ?? true)) break
  }
  const frames = (await page.evaluate(() => globalThis.frameTimes?.() ?? [])).toSorted((a, b) => a - b)
  const pixels = await page.evaluate(() => globalThis.scrollY)
  if (frames.length < least.frames || pixels < least.pixels)
    throw new Error(`${page.url()} moved ${pixels} pixels in ${frames.length} frames: too little to judge`)
  return frames[Math.floor(frames.length * 0.95)] ?? Number.NaN
}
