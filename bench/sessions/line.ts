import { join } from 'node:path'
import { createLive } from '../../src/app/live.ts'
import { createReads } from '../../src/app/read/reads.ts'
import { openSqlite } from '../../src/db/open.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { startChild, type Child } from '../lib/child.ts'
import { databaseIn } from '../lib/data-directory.ts'
import { freePort } from '../lib/free-port.ts'
import { atLeast, atMost, type Line } from '../lib/line.ts'
import { makeToken, startSignalbox } from '../lib/program.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import { startRecording, type Recorded } from '../lib/record.ts'
import { fill } from './data.ts'
import type { Loaded, LoadRound } from './load.ts'
import type { ListPeerSettings } from './peer.ts'

const path = '/api/sessions?limit=20'
export const connections = 10

export const sessionList: Line = {
  name: 'sessions',
  measured: `\`GET /api/sessions\`, 20 of 100,000 sessions with 2 million messages, requested over ${connections}
keep-alive connections from another process over loopback, each sending the next request when answered. Ours is the
built server with a bearer token; the peer is a bare Hono handler on the same file that runs exactly the statements
ours runs for this page (recorded) and returns the same bytes, which is checked first. The second figure compares ours
with itself on 1,000 sessions: time per request.`,
  async run({ folder, quick }) {
    const [large, small] = [join(folder, 'large'), join(folder, 'small')]
    await fill(large, quick ? 10_000 : 100_000)
    await fill(small, 1000)
    await using stack = new AsyncDisposableStack()
    const few = await ours(small, stack)
    const many = await ours(large, stack)
    const port = await freePort()
    const given: ListPeerSettings = { file: databaseIn(large), port, ...(await statements(databaseIn(large))) }
    stack.use(await startChild(import.meta.resolve('./peer.ts'), given))
    const bare = { port, token: many.token }
    await compareAnswers(many, bare)
    const load = stack.use(await startChild(import.meta.resolve('./load.ts'), null))
    const ask = (server: Server) => () => perSecond(load, server, quick ? 500 : 2000)
    const figures = await interleaved(quick ? 3 : 7, { peer: ask(bare), many: ask(many), few: ask(few) })
    const times = (rates: readonly number[]) => rates.map((rate) => (1000 * connections) / rate)
    const [timeMany, timeFew] = [times(figures.many), times(figures.few)]
    return [
      atLeast(0.7, {
        name: 'sessions/peer',
        title: 'GET /api/sessions, 20 of 100,000',
        unit: 'requests/s',
        ours: sampleOf(figures.many),
        peer: sampleOf(figures.peer),
        ratio: ratioOf(figures.many, figures.peer),
      }),
      atMost(1.3, {
        name: 'sessions/growth',
        title: 'GET /api/sessions, 100,000 compared with 1,000',
        unit: 'ms',
        ours: sampleOf(timeMany),
        peer: sampleOf(timeFew),
        ratio: ratioOf(timeMany, timeFew),
      }),
    ]
  },
}

export type Server = { port: number; token: string }

export async function ours(home: string, stack: AsyncDisposableStack): Promise<Server> {
  const { port } = stack.use(await startSignalbox(home))
  return { port, token: await makeToken(home) }
}

export async function perSecond(load: Child, { port, token }: Server, ms: number, asked = path): Promise<number> {
  const input: LoadRound = { port, path: asked, token, connections, ms }
  return (await load.call<Loaded>('round', input)).perSecond
}

/** The statements Signalbox runs for the page, as it runs them. */
async function statements(file: string): Promise<{ list: Recorded; total: Recorded }> {
  using recording = startRecording()
  const database = await openSqlite({ file, synchronous: 'full' })
  try {
    const reads = createReads(
      { ...database, read: database.write },
      createLive(silentLogger),
      () => ({
        adminsMayAnswer: false,
        vouched: [],
      }),
      () => 0,
    )
    const who = { actor: { kind: 'system' as const, name: 'bench' }, grants: [], memberOf: [], unknown: false }
    recording.take(database.sqlite)
    await reads.sessions(who, { limit: 20, offset: 0 })
    const recorded = recording.take(database.sqlite)
    const [list, total, ...more] = recorded
    if (!list || !total || more.length > 0) throw new Error(`expected a list and a total, not ${recorded.length}`)
    return { list, total }
  } finally {
    await database.close()
  }
}

async function compareAnswers(...servers: Server[]): Promise<void> {
  const answers = await Promise.all(
    servers.map(async ({ port, token }) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text()
    }),
  )
  if (new Set(answers).size !== 1) throw new Error(`the answers differ:\n${answers.join('\n')}`)
}
