import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMachineUser, type Person } from '../conformance/people.ts'
import { openAsk, roomy, startSession } from '../conformance/work.ts'
import { cutProxy, type CutProxy } from '../support/cut-proxy.ts'
import { freshPostgres } from '../support/postgres.ts'
import { openPushService, type PushBrowser, type PushService } from '../support/push-service.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

const config = `${roomy}[push]\nallow_private_endpoints = true\n`
/** Two of the followers that run on one node; the others have leases of the same kind. */
const singles = ['policy-proposals', 'push']
/** The limit: a lost holder of the leases is replaced within this time. */
const replacedWithinMs = 15_000

type Node = { server: Server; proxy: CutProxy; id: string }
type LeaseRow = { name: string; holder: string; fence: number }

describe('two servers on one PostgreSQL', () => {
  const stack = new AsyncDisposableStack()
  let database: pg.Client
  let service: PushService
  let nodes: Node[]
  let ann: Person
  let session: { id: string }
  let browser: PushBrowser
  let opened = 0

  beforeAll(async () => {
    const { url } = stack.use(await freshPostgres())
    database = new pg.Client({ connectionString: url })
    await database.connect()
    stack.defer(() => database.end())
    service = stack.use(await openPushService())
    nodes = []
    for (let count = 0; count < 2; count += 1) {
      const proxy = stack.use(await cutProxy(url))
      const server = stack.use(await startServer({ config, env: { SIGNALBOX_DATABASE__URL: proxy.url } }))
      nodes.push({ server, proxy, id: (await readFile(join(server.home, 'node-id'), 'utf8')).trim() })
    }
    ann = await newMachineUser(nodes[0]!.server, 'Ann')
    session = await startSession(ann.api)
    browser = service.browser()
    await ann.api.post('/api/push/devices', browser.subscription)
  }, 180_000)
  afterAll(async () => {
    for (const { proxy } of nodes) proxy.mend()
    await stack.disposeAsync()
  }, 60_000)

  async function leases(): Promise<LeaseRow[]> {
    const { rows } = await database.query<LeaseRow>(
      'select name, holder, fence::int from leases where name = any($1) order by name',
      [singles],
    )
    return rows
  }
  const place = async () =>
    (await database.query<{ tx: string; seq: string }>(`select tx, seq from followers where name = 'push'`)).rows[0]!

  /** Who holds all leases, once one node does. */
  const holder = () =>
    until(async () => {
      const rows = await leases()
      return nodes.find(({ id }) => rows.length === singles.length && rows.every((row) => row.holder.startsWith(id)))
    })
  const other = (node: Node) => nodes.find((one) => one !== node)!

  /** Through one node; recorded once, whichever node. */
  async function ask(node: Node, seconds = 15): Promise<string> {
    const api = node.server.api(ann.token)
    const { id } = await openAsk(api, session, { title: `Ask ${(opened += 1)}` })
    await until(() => told(id).length > 0, { what: 'the notification', seconds })
    return id
  }
  const told = (id: string) => browser.received.filter(({ payload }) => payload.tag === `ask:${id}`)

  it('handle each event once, on one of them', async () => {
    const held = await holder()
    const ids = []
    for (let count = 0; count < 6; count += 1) ids.push(await ask(nodes[count % 2]!))
    expect(ids.map((id) => told(id).length)).toEqual(ids.map(() => 1))
    expect((await leases()).map(({ name, fence }) => ({ name, fence }))).toEqual(
      singles.map((name) => ({ name, fence: 1 })),
    )
    expect(await holder()).toBe(held)
  })

  const faults: Record<string, { fail(node: Node): Promise<void> | void; back(node: Node): Promise<void> | void }> = {
    killed: { fail: ({ server }) => server.kill('SIGKILL'), back: ({ server }) => server.restart() },
    paused: {
      fail: ({ server }) => void process.kill(server.pid, 'SIGSTOP'),
      back: ({ server }) => void process.kill(server.pid, 'SIGCONT'),
    },
    'cut off': { fail: ({ proxy }) => proxy.cut(), back: ({ proxy }) => proxy.mend() },
  }

  it.each(Object.keys(faults))(
    'a holder that is %s is replaced within 15 s, and does no harm afterwards',
    async (how) => {
      const gone = await holder()
      const next = other(gone)
      // A message being sent at that moment is in doubt for longer: that is not about leases.
      await until(async () => (await database.query(`select 1 from outbox where status = 'waiting'`)).rowCount === 0)
      const fences = await leases()
      const since = Date.now()
      await faults[how]!.fail(gone)
      const first = await ask(next, replacedWithinMs / 1000)
      const tookMs = Date.now() - since
      console.log(`${how}: replaced after ${(tookMs / 1000).toFixed(1)} s`)
      expect(tookMs).toBeLessThan(replacedWithinMs)
      expect(await holder()).toBe(next)
      const rows = await leases()
      expect(rows.map(({ fence }) => fence)).toEqual(fences.map(({ fence }) => fence + 1))
      const meanwhile = await ask(next)
      const before = await place()

      await faults[how]!.back(gone)
      // It is back when it answers from the database again.
      await until(async () => (await gone.server.tcp().send('GET', '/readyz')).status === 200, { seconds: 30 })
      if (how !== 'killed') await until(() => gone.server.log().includes('lease lost'), { what: 'that it noticed' })
      const after = [await ask(gone), await ask(next)]
      expect([first, meanwhile, ...after].map((id) => told(id).length)).toEqual([1, 1, 1, 1])
      expect(await leases()).toEqual(rows)
      // Its old place, written late, would have them handled again.
      const { tx } = await place()
      expect(Number(tx)).toBeGreaterThanOrEqual(Number(before.tx))
    },
  )

  it('a holder that stops normally releases its leases: the other one gets them at once', async () => {
    const gone = await holder()
    const next = other(gone)
    await gone.server.kill('SIGTERM')
    const since = Date.now()
    const id = await ask(next)
    expect(Date.now() - since).toBeLessThan(8000)
    expect(told(id)).toHaveLength(1)
    expect(await holder()).toBe(next)
  })
})
