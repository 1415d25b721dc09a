import { constants } from 'node:os'
import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { ChildTerminal } from '../child.ts'
import { startOnce, unknownSpec, type Children, type Operation } from '../children.ts'
import { specOf } from '../spec.ts'
import { isRecord, numberOf, sizeOf, textOf, type Frame } from '../protocol/frames.ts'

/** A separate operation, so that an old keeper without terminals refuses it. */
const spawnTerminal: Operation = ({ children }, { header }) => {
  const spec = specOf(header['spec'])
  return spec?.pty ? startOnce(children, spec) : unknownSpec
}

/** Operations of the server on terminals. */
export const terminalOperations: Readonly<Record<string, Operation>> = {
  'spawn-terminal': spawnTerminal,

  'write-if': ({ children }, { header, payload }) =>
    inTerminal(children, header, (terminal) => {
      const cond = isRecord(header['cond']) ? header['cond'] : {}
      const waits = isRecord(cond['waits']) ? cond['waits'] : null
      return terminal.writeIf(textOf(header['key']), payload, {
        to: numberOf(cond['to']),
        inputs: numberOf(cond['inputs']),
        waits: waits && { pid: numberOf(waits['pid']), mark: textOf(waits['mark']) },
        goesOn: cond['goesOn'] === true,
      })
    }),

  resize: ({ children }, { header }) =>
    inTerminal(children, header, (terminal) => terminal.resize(sizeOf(header), header['force'] === true)),

  signal: ({ children }, { header }) =>
    inTerminal(children, header, (terminal, id) => {
      const name = signalNames.find((known) => known === header['signal'])
      if (!name) return unknownSignal(textOf(header['signal']))
      return terminal.signal(name) ? ok(null) : nobody(id)
    }),

  reply({ children }, { header, payload }) {
    children.all.get(textOf(header['id']))?.terminal?.reply(payload)
    return null
  },

  probe: ({ children }, { header }) => inTerminal(children, header, (terminal) => ok(terminal.probe())),
}

/** Operations of attached people: terminals only. */
export const attachOperations: Readonly<Record<string, Operation>> = {
  'spawn-terminal': spawnTerminal,

  list: ({ children }) => ok([...children.all.values()].map((child) => child.info()).filter(({ pty }) => pty !== null)),

  attach: ({ children, peer, screens }, { header }, number) =>
    inTerminal(children, header, (terminal) => {
      const from = numberOf(header['from'])
      const screen = terminal.attach(
        { ...sizeOf(header), from: from >= 0 ? from : 'now' },
        {
          data: (bytes, offset) => peer.send({ op: 'data', listen: number, offset }, bytes),
          ready: () => peer.ready(),
          exit(exit) {
            screens.delete(number)
            peer.send({ op: 'exit', listen: number, exit })
          },
          size: (size) => peer.send({ op: 'size', listen: number, ...size }),
          detached(why) {
            screens.delete(number)
            peer.send({ op: 'detached', listen: number, why })
          },
        },
      )
      screens.set(number, screen)
      return ok({ from: screen.from })
    }),

  /** The caller's own terminal passes our bytes unchanged from now on. */
  'plain-output': async (_caller, { header }) => {
    const { callersTerminals } = await import('./callers-terminals.ts')
    const done = await callersTerminals.stty(textOf(header['tty']), '-opost && echo done')
    return ok(done.endsWith('done'))
  },

  taken({ screens }, { header }) {
    screens.get(numberOf(header['listen']))?.taken(numberOf(header['offset']))
    return null
  },

  type: ({ screens }, { header, payload }) => screens.get(numberOf(header['listen']))?.type(payload) ?? detached,

  'resize-screen': ({ screens }, { header }) =>
    screens.get(numberOf(header['listen']))?.resize(sizeOf(header)) ?? detached,

  unlisten({ screens }, { header }) {
    const number = numberOf(header['listen'])
    screens.get(number)?.detach()
    screens.delete(number)
    return ok(null)
  },
}

function inTerminal(
  { all }: Children,
  header: Frame['header'],
  work: (terminal: ChildTerminal, id: string) => Result<unknown>,
): Result<unknown> {
  const id = textOf(header['id'])
  const child = all.get(id)
  if (!child) return notFound('child', id)
  return child.terminal ? work(child.terminal, id) : notTerminal(id)
}

const signalNames = Object.keys(constants.signals).filter((name): name is NodeJS.Signals => name.startsWith('SIG'))

const notTerminal = (id: string) =>
  fail({ kind: 'conflict', code: 'not_a_terminal', message: `${id} is not running in a terminal.` })

const detached = fail({
  kind: 'conflict',
  code: 'not_attached',
  message: 'This terminal is no longer attached: its program has ended, or it was detached.',
})

const nobody = (id: string) =>
  fail({ kind: 'conflict', code: 'child_ended', message: `The program of ${id} has ended.` })

const unknownSignal = (name: string) =>
  fail({ kind: 'invalid', code: 'unknown_signal', message: `Unknown signal ${name}.`, hint: 'For example SIGINT.' })
