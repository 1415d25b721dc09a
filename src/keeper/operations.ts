import { fail, notFound, ok } from '../lib/result.ts'
import { startOnce, unknownSpec, type Operation } from './children.ts'
import { terminalOperations } from './pty/operations.ts'
import { specOf } from './spec.ts'
import { numberOf, textOf } from './protocol/frames.ts'

export const operations: Readonly<Record<string, Operation>> = {
  spawn({ children }, { header }) {
    const spec = specOf(header['spec'])
    return spec ? startOnce(children, spec) : unknownSpec
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

  async stop(caller, { header }) {
    const left = await caller.stop(header['terminals'] === true)
    // The keeper stays for them, and closes this connection.
    if (left > 0) setImmediate(() => caller.peer.end())
    return ok({ left })
  },

  ...terminalOperations,
}

const outOfRange = (id: string, wanted: number, from: number, to: number) =>
  fail({
    kind: 'conflict',
    code: 'output_gone',
    message: `${id} has output from byte ${from} to ${to}; byte ${wanted} was requested.`,
    details: { from, to },
  })
