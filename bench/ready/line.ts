import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeDataDirectory } from '../lib/data-directory.ts'
import { atMost, type Line } from '../lib/line.ts'
import { startProgram, startSignalbox, type Program } from '../lib/program.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'

const peer = fileURLToPath(import.meta.resolve('./peer.js'))

export const ready: Line = {
  name: 'ready',
  measured: `From the spawn of the process until \`/readyz\` answers 200, polled every millisecond. Ours is the built
server on an existing, migrated data directory; the peer is plain Hono and better-sqlite3 from node_modules: it opens
a file with the same pragmas, creates one table and listens.`,
  async run({ folder, quick }) {
    const home = join(folder, 'home')
    await makeDataDirectory(home)
    const file = join(folder, 'peer.db')
    const figures = await interleaved(quick ? 5 : 15, {
      peer: () => timeOf(startProgram(peer, (port) => [file, String(port)])),
      ours: () => timeOf(startSignalbox(home)),
    })
    const title = 'Ready after a start'
    const ratio = ratioOf(figures.ours, figures.peer)
    const [ours, theirs] = [sampleOf(figures.ours), sampleOf(figures.peer)]
    return [atMost(2, { name: 'ready', title, unit: 'ms', ours, peer: theirs, ratio })]
  },
}

async function timeOf(starting: Promise<Program>): Promise<number> {
  await using program = await starting
  return program.readyMs
}
