import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../src/db/open.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { newRandomId } from '../../src/lib/id.ts'
import { sessionStart, unitOfWork } from '../commands/mix.ts'
import { startChild, type Child } from '../lib/child.ts'
import { databaseIn, makeDataDirectory, openApp } from '../lib/data-directory.ts'
import { freePort } from '../lib/free-port.ts'
import { atLeast, forInformation, type Line } from '../lib/line.ts'
import { makeToken, startSignalbox } from '../lib/program.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import type { OpenReaders } from './connections.ts'
import type { FanOutSettings } from './peer.ts'
import { createPublisher } from './publish.ts'

const readers = 1000
const burst = 200
const few = 50
const body = JSON.stringify({ role: 'user', content: { type: 'text', text: 'Go on with the next one, please.' } })

export const eventReaders: Line = {
  name: 'readers',
  measured: `${readers.toLocaleString('en')} readers of \`GET /api/events\`, all in one other process; figures are
events delivered to readers per second. "A burst of ${burst}": all but the last are committed directly to the database
beforehand; then one message through the API wakes the server, and it sends all ${burst}; timed from that request to
the last event at the last reader. The peer is a bare node:http server that on one request writes the same ${burst}
frames (captured from ours), joined, to each response. "Message by message": ${few} messages through the API over 10
connections, each a durable commit (\`synchronous = full\`) before it is delivered; the peer takes the same requests
and writes a frame to every reader at once, storing nothing.`,
  async run({ folder, quick }) {
    await using stack = new AsyncDisposableStack()
    const home = join(folder, 'home')
    const userId = await makeDataDirectory(home)
    const sessionId = newRandomId<SessionId>()
    const database = await openSqlite({ file: databaseIn(home), synchronous: 'normal' })
    stack.defer(() => database.close())
    const app = stack.use(await openApp(database))
    await app.dispatch(sessionStart(userId, sessionId).command, { kind: 'system', name: 'bench' })
    const behind = async () => {
      for (const { command, actor } of messages(userId, sessionId, burst - 1)) {
        const done = await app.dispatch(command, actor)
        if (!done.ok) throw new Error(done.fault.message)
      }
    }

    const { port } = stack.use(await startSignalbox(home))
    const token = await makeToken(home)
    const path = `/api/sessions/${sessionId}/messages`
    const publisher = stack.use(createPublisher(port, token, body))
    const ours = await openReaders({ port, path: '/api/events', token, readers }, stack)
    await delivered(ours, burst, () => publisher.post(path, burst))
    const frames = framesIn(await ours.call<string>('capture'))

    const given: FanOutSettings = { port: await freePort(), frames: join(folder, 'frames.json') }
    writeFileSync(given.frames, JSON.stringify(frames))
    stack.use(await startChild(import.meta.resolve('./peer.ts'), given))
    const barePublisher = stack.use(createPublisher(given.port, token, body))
    const bare = await openReaders({ port: given.port, path: '/', token, readers }, stack)

    const figures = await interleaved(quick ? 3 : 7, {
      bareBurst: () => delivered(bare, burst, () => barePublisher.post('/burst', 1)),
      burst: async () => {
        await behind()
        return delivered(ours, burst, () => publisher.post(path, 1))
      },
      bareEach: () => delivered(bare, few, () => barePublisher.post('/', few)),
      each: () => delivered(ours, few, () => publisher.post(path, few)),
    })
    await ours.call('close')
    await bare.call('close')
    const figure = (name: string, title: string, mine: readonly number[], theirs: readonly number[]) => ({
      name: `readers/${name}`,
      title: `${readers.toLocaleString('en')} event readers, ${title}`,
      unit: 'deliveries/s',
      ours: sampleOf(mine),
      peer: sampleOf(theirs),
      ratio: ratioOf(mine, theirs),
    })
    return [
      atLeast(0.7, figure('burst', `a burst of ${burst}`, figures.burst, figures.bareBurst)),
      forInformation(figure('each', 'message by message, each durable', figures.each, figures.bareEach)),
    ]
  },
}

async function openReaders(wanted: OpenReaders, stack: AsyncDisposableStack): Promise<Child> {
  const child = stack.use(await startChild(import.meta.resolve('./connections.ts'), null))
  await child.call('open', wanted)
  return child
}

/** Deliveries per second, from before publishing until the last reader has the last event. */
async function delivered(child: Child, events: number, publish: () => Promise<void>): Promise<number> {
  await child.call('arm', events)
  const started = process.hrtime.bigint()
  const [ended] = await Promise.all([child.call<string>('arrival'), publish()])
  const seconds = Number(BigInt(ended) - started) / 1e9
  return (readers * events) / seconds
}

const messages = (userId: UserId, sessionId: SessionId, count: number) =>
  Array.from({ length: count }, () => unitOfWork(userId, sessionId)[0]).filter((said) => said !== undefined)

/** The events in the bytes of a chunked response. */
function framesIn(base64: string): string[] {
  const text = Buffer.from(base64, 'base64').toString('utf8')
  const frames = text.match(/^id: .*\nevent: .*\ndata: .*\n\n/gm) ?? []
  if (frames.length !== burst) throw new Error(`expected ${burst} frames, not ${frames.length}`)
  return frames
}
