import type { Logger } from '../lib/log.ts'
import { fail, notFound, ok, type Result } from '../lib/result.ts'
import { startChild, type Child } from './child.ts'
import type { Feed } from './feed.ts'
import type { Peer } from './peer.ts'
import type { Place } from './place.ts'
import { specOf } from './spec.ts'
import type { SpoolLimits } from './spool.ts'
import { numberOf, textOf, type Frame } from './wire.ts'

/** What the keeper holds, whoever is connected. */
export type Children = {
  readonly all: Map<string, Child>
  /** Those that are being started, so that one id is started once. */
  readonly starting: Map<string, Promise<Result<Child>>>
  readonly place: Place
  readonly limits: SpoolLimits
  readonly log: Logger
  /** The keeper ends: nothing is started any more. */
  isClosing: boolean
}

export type Reply = Result<unknown> | { bytes: Uint8Array; value: unknown }

/** One connection's view: its listeners end with it. */
export type Desk = { children: Children; peer: Peer; feeds: Map<number, Feed>; stop(): Promise<void> }

type Operation = (desk: Desk, frame: Frame, number: number) => Reply | Promise<Reply> | null

const unknownSpec = fail({
  kind: 'invalid',
  code: 'spawn_failed',
  message: 'A child without id, program or directory.',
})

const closing = fail({
  kind: 'unavailable',
  code: 'spawn_failed',
  message: 'The keeper is ending: nothing is started any more.',
  hint: 'Try again in a moment.',
})

export const operations: Readonly<Record<string, Operation>> = {
  async spawn({ children }, { header }) {
    const spec = specOf(header['spec'])
    if (!spec) return unknownSpec
    if (children.isClosing) return closing
    const { all, starting, log } = children
    const there = all.get(spec.id)
    if (there) return ok(there.info())
    const begun = starting.get(spec.id) ?? startChild(spec, children)
    starting.set(spec.id, begun)
    const started = await begun.finally(() => starting.delete(spec.id))
    if (!started.ok) return started
    if (!all.has(spec.id)) log.info({ child: spec.id, pid: started.value.info().pid }, 'a child started')
    all.set(spec.id, started.value)
    return ok(started.value.info())
  },

  list: ({ children }) => ok([...children.all.values()].map((child) => child.info())),

  listen({ children, peer, feeds }, { header }, number) {
    const id = textOf(header['id'])
    const child = children.all.get(id)
    if (!child) return notFound('child', id)
    const { from, to } = child.info()
    const wanted = numberOf(header['from'])
    if (!(wanted >= (child.keepsAll ? from : 0) && wanted <= to)) return outOfRange(id, wanted, from, to)
    const feed = child.listen(wanted, {
      data: (bytes, offset) => peer.send({ op: 'data', listen: number, offset }, bytes),
      exit: (exit) => peer.send({ op: 'exit', listen: number, exit }),
      ready: () => peer.ready(),
    })
    feeds.set(number, feed)
    return ok({ from: wanted })
  },

  unlisten({ feeds }, { header }) {
    const number = numberOf(header['listen'])
    feeds.get(number)?.stop()
    feeds.delete(number)
    return null
  },

  taken({ feeds }, { header }) {
    feeds.get(numberOf(header['listen']))?.taken(numberOf(header['offset']))
    return null
  },

  write({ children }, { header, payload }) {
    const id = textOf(header['id'])
    return children.all.get(id)?.write(textOf(header['key']), payload) ?? notFound('child', id)
  },

  ack({ children }, { header }) {
    children.all.get(textOf(header['id']))?.ack(numberOf(header['offset']))
    return null
  },

  stderr: ({ children }, { header }) => ({
    bytes: children.all.get(textOf(header['id']))?.stderr() ?? Buffer.alloc(0),
    value: null,
  }),

  async read({ children }, { header }) {
    const held = await children.all.get(textOf(header['id']))?.read()
    return { bytes: held?.bytes ?? Buffer.alloc(0), value: { truncated: held?.truncated ?? false } }
  },

  'close-stdin'({ children }, { header }) {
    children.all.get(textOf(header['id']))?.closeStdin()
    return ok(null)
  },

  async end({ children }, { header }) {
    const child = children.all.get(textOf(header['id']))
    return ok(child ? await child.end(Math.max(0, numberOf(header['graceMs']) || 0)) : { code: null, signal: null })
  },

  async forget({ children }, { header }) {
    const id = textOf(header['id'])
    const child = children.all.get(id)
    if (!child?.hasExited()) return ok(null)
    await child.forget()
    if (children.all.get(id) === child) children.all.delete(id)
    return ok(null)
  },

  async stop(desk) {
    await desk.stop()
    return ok(null)
  },
}

const outOfRange = (id: string, wanted: number, from: number, to: number) =>
  fail({
    kind: 'conflict',
    code: 'output_gone',
    message: `${id} has its output from byte ${from} to ${to}; byte ${wanted} was asked for.`,
    details: { from, to },
  })
