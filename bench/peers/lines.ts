import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { cpuOf } from '../lib/cpu.ts'
import { makeDataDirectory } from '../lib/data-directory.ts'
import { atLeast, atMost, forInformation, type Figure, type Line, type LineContext } from '../lib/line.ts'
import { startClone, type Program } from '../lib/program.ts'
import { ratioOf, sampleOf } from '../lib/sample.ts'
import { installed } from './installed.ts'
import { launch } from './servers.ts'
import {
  create,
  inTurns,
  leaveOut,
  nextSession,
  serversInTurns,
  shownName,
  type Measured,
  type SideName,
} from './turns.ts'
import type { ListRound, OpenReaders, SerialRound } from './wire-client.ts'

type Bar = { peer: SideName; bar: number | null; most?: true }

/** One figure for each available peer; ours is the same in all of them. */
function beside(
  figures: Measured,
  given: { name: string; title: string; unit: string },
  bars: readonly Bar[],
): Figure[] {
  const ours = figures.ours ?? []
  return bars.flatMap(({ peer, bar, most }) => {
    const theirs = figures[peer]
    if (!theirs) return []
    const figure = {
      name: `${given.name}/${peer}`,
      title: `${given.title}, compared with ${shownName[peer]}`,
      unit: given.unit,
      ours: sampleOf(ours),
      peer: sampleOf(theirs),
      ratio: ratioOf(ours, theirs),
    }
    return [bar === null ? forInformation(figure) : most ? atMost(bar, figure) : atLeast(bar, figure)]
  })
}

export const peersList: Line = {
  name: 'peers-list',
  measured: `The newest 20 sessions of 20, requested over 8 keep-alive connections from another process, each sending
the next request when answered. HAPI and opencode are the npm packages, started on loopback, each with its own home;
"bare Hono" is Hono and better-sqlite3 with a table of as many columns, without logins, validation or log.`,
  async run({ folder, quick }) {
    const figures = await serversInTurns(
      folder,
      quick ? 3 : 7,
      async ({ client, program: { port }, list: request }) => {
        const round: ListRound = { port, request, connections: 8, ms: quick ? 500 : 2000 }
        return (await client.call<{ perSecond: number }>('list', round)).perSecond
      },
    )
    const given = { name: 'peers-list', title: 'List of 20 at 8 connections', unit: 'requests/s' }
    return beside(figures, given, [
      { peer: 'hapi', bar: 1.3 },
      { peer: 'bare', bar: 0.8 },
      { peer: 'opencode', bar: null },
    ])
  },
}

export const peersListAfterChange: Line = {
  name: 'peers-list-after-change',
  measured: `Microseconds that all threads of the server were on a core for a list of the newest 20 sessions, asked for right after a
session changed, so that no server can answer with what it answered before: the time of 100 changes with a list after
each, less the time of 100 changes. opencode does other work meanwhile and is not compared.`,
  async run({ folder, quick }) {
    const figures = await serversInTurns(folder, quick ? 3 : 7, async (server) => {
      const { client } = server
      const { port, pid } = server.program
      const id = server.idIn(await client.call<string>('ask', { port, request: nextSession(server) }))
      const spent = async (requestsOf: (number: number) => string[]) => {
        const requests = Array.from({ length: 100 }, (_, number) => requestsOf(number)).flat()
        const before = cpuOf(pid)
        await client.call('serial', { port, requests } satisfies SerialRound)
        return (cpuOf(pid) - before) / 1000 / 100
      }
      const changes = await spent((number) => [server.change(id, number)])
      return (await spent((number) => [server.change(id, number), server.list])) - changes
    })
    const given = { name: 'peers-list-after-change', title: 'CPU of a list of 20 after a change', unit: 'µs' }
    return beside(figures, given, [
      { peer: 'hapi', bar: null },
      { peer: 'bare', bar: null },
    ])
  },
}

/** How many times a second this disk confirms 4 KiB: no server that waits for the disk creates more sessions one by one. */
async function syncsPerSecond(folder: string, count: number): Promise<number> {
  const file = await open(join(folder, 'synced'), 'w')
  try {
    const page = Buffer.alloc(4096, 1)
    const started = performance.now()
    for (let written = 0; written < count; written += 1) {
      await file.write(page)
      await file.sync()
    }
    return (count / (performance.now() - started)) * 1000
  } finally {
    await file.close()
  }
}

export const peersCreate: Line = {
  name: 'peers-create',
  measured: `Sessions created one after another over one keep-alive connection. Ours and bare Hono answer when the
session is on the disk (\`synchronous = full\`). HAPI does not wait for the disk: for 100 sessions it never called
fsync or fdatasync (strace). opencode was not traced.`,
  async run({ folder, quick }) {
    const count = quick ? 50 : 200
    const disk = () => syncsPerSecond(folder, count)
    const figures = await serversInTurns(folder, quick ? 3 : 7, (side) => create(side, count), [['disk', disk]])
    const given = { name: 'peers-create', title: 'Sessions created one after another', unit: 'sessions/s' }
    return beside(figures, given, [
      { peer: 'hapi', bar: 1 },
      { peer: 'bare', bar: null },
      { peer: 'disk', bar: null },
      { peer: 'opencode', bar: null },
    ])
  },
}

export const peersCreateUnsynced: Line = {
  name: 'peers-create-unsynced',
  measured: `The same, and ours with \`synchronous = normal\`, which no one runs unless they set it: like HAPI, it then does not
wait for the disk. A power cut can lose the last sessions.`,
  async run({ folder, quick }) {
    const count = quick ? 50 : 200
    const config = '[database]\nsynchronous = "normal"\n'
    const figures = await serversInTurns(folder, quick ? 3 : 7, (side) => create(side, count), [], config)
    const given = {
      name: 'peers-create-unsynced',
      title: 'Sessions created, not waiting for the disk',
      unit: 'sessions/s',
    }
    return beside(figures, given, [{ peer: 'hapi', bar: null }])
  },
}

const readers = 100
const mostMicroseconds = 20

export const peersEvents: Line = {
  name: 'peers-events',
  measured: `${readers} readers of server-sent events; 200 durable changes of one session (ours and bare: a message;
HAPI and opencode: a new title), one after another. CPU time of all server threads in microseconds, per change and
reader, including the write itself.`,
  async run({ folder, quick }) {
    const changes = quick ? 50 : 200
    const figures = await serversInTurns(folder, quick ? 2 : 5, async (server) => {
      const { client } = server
      const { port, pid } = server.program
      const id = server.idIn(await client.call<string>('ask', { port, request: nextSession(server) }))
      const open: OpenReaders = { port, request: server.events, marker: server.changed, readers }
      await client.call('openReaders', open)
      const before = cpuOf(pid)
      const requests = Array.from({ length: changes }, (_, number) => server.change(id, number))
      await client.call('publish', { port, requests } satisfies SerialRound)
      const spent = (cpuOf(pid) - before) / 1000 / (changes * readers)
      await client.call('closeReaders')
      return spent
    })
    const given = { name: 'peers-events', title: 'CPU per delivered event, including its write', unit: 'µs' }
    const ours = sampleOf(figures.ours ?? [])
    const [first, ...others] = beside(figures, given, [
      { peer: 'bare', bar: null },
      { peer: 'hapi', bar: null },
      { peer: 'opencode', bar: null },
    ])
    if (!first) return []
    return [{ ...first, bar: `≤ ${mostMicroseconds} µs`, holds: ours.median <= mostMicroseconds }, ...others]
  },
}

export const peersStart: Line = {
  name: 'peers-start',
  measured: `From the spawn until the server answers. Ours is \`./signalbox serve\` of a clone on an existing data
directory; bare Hono opens a file and listens; HAPI is \`hapi hub\`, opencode \`opencode serve\`, each on a home it
has used before.`,
  async run({ folder, quick }: LineContext) {
    const home = join(folder, 'home')
    await makeDataDirectory(home)
    const sides = new Map<SideName, () => Promise<number>>()
    const time = (start: () => Promise<Program>) => async () => {
      await using program = await start()
      return program.readyMs
    }
    for (const name of ['hapi', 'opencode'] as const) {
      const peer = await installed(name)
      mkdirSync(join(folder, name))
      if ('missing' in peer) leaveOut(name, peer.missing)
      else
        sides.set(
          name,
          time(() => launch[name](peer.file, join(folder, name), folder)),
        )
    }
    sides.set(
      'bare',
      time(() => launch.bare(folder)),
    )
    sides.set(
      'ours',
      time(() => startClone(home)),
    )
    const figures = await inTurns(quick ? 3 : 9, sides)
    const given = { name: 'peers-start', title: 'Ready after a start', unit: 'ms' }
    return beside(figures, given, [
      { peer: 'bare', bar: 2, most: true },
      { peer: 'hapi', bar: null },
      { peer: 'opencode', bar: null },
    ])
  },
}
