import { forInformation, type Figure, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { openDashboardHarness } from './harness.ts'
import { gzippedKb, loadInbox, loadSignedOut } from './first-load.ts'

const bars = { kb: 250, ms: 1500 }

export const dashboardFirstLoad: Line = {
  name: 'dashboard-first-load',
  measured: `The first visit to \`/\` by a signed-in person in a fresh browser: a new context, nothing cached,
1280×800. 12 asks are waiting, so the first, a command, is shown next to the list. "Script" is every script the page
loaded until then, in bytes as sent with gzip (1 KB is 1,000 bytes; diff and terminal parts are loaded on demand).
"Interactive" is from the start of the navigation until the first item is shown and pressing \`j\` has moved to the
next, tried in every frame. The peer is the same server's page for signed-out visitors, until it is painted. Page,
browser and server share the machine. The median of the rounds is judged.`,
  async run({ folder, quick }) {
    await using dashboard = await openDashboardHarness(folder)
    let scripts: string[] = []
    const times = await interleaved(quick ? 3 : 7, {
      peer: async () => (await loadSignedOut(dashboard)).ms,
      ours: async () => {
        const loaded = await loadInbox(dashboard)
        scripts = loaded.scripts
        return loaded.ms
      },
    })
    const kb = sampleOf([await gzippedKb(dashboard, scripts)])
    const script = forInformation({
      name: 'dashboard-first-load/script',
      title: `First load of the inbox, script gzipped (${scripts.length} files)`,
      unit: 'KB',
      ours: kb,
    })
    const ours = sampleOf(times.ours)
    const interactive = forInformation({
      name: 'dashboard-first-load/interactive',
      title: 'First load of the inbox, until a key is handled',
      unit: 'ms',
      ours,
      peer: sampleOf(times.peer),
      ratio: ratioOf(times.ours, times.peer),
    })
    return [
      { ...script, bar: `≤ ${bars.kb} KB`, holds: kb.median <= bars.kb },
      { ...interactive, bar: `≤ ${bars.ms} ms`, holds: ours.median <= bars.ms },
    ] satisfies Figure[]
  },
}
