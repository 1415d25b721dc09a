// The worker thread for terminals: bytes in, recordings and detections out.
import { parentPort } from 'node:worker_threads'
import { detect } from '../../../domain/terminal/detect/detect.ts'
import type { Signals } from '../../../domain/terminal/screen.ts'
import { createTtyModes } from '../../../lib/tty-modes.ts'
import { fail, notFound } from '../../../lib/result.ts'
import type { Order, Report } from '../protocol.ts'
import { captureMasks, type CaptureMasks } from '../capture/capture.ts'
import { compileMask } from '../capture/custom-masks.ts'
import { createEmulator } from '../emulator.ts'
import { openTerminal, type WorkerTerminal } from './terminal.ts'

const modes = createTtyModes()
const all = new Map<string, Promise<WorkerTerminal>>()
const maskSets = new Map<string, CaptureMasks>()
const nothingKnown: Signals = { exited: false, quietMs: 0, typed: null, kernel: null, mode: null, remote: false }
const send = (report: Report) =>
  parentPort?.postMessage(report, report.op === 'taken' && report.fresh ? [report.fresh.buffer as ArrayBuffer] : [])

// The first detection compiles the rules for screens and for prompts, and takes longer than all later ones.
setImmediate(() => {
  const emulator = createEmulator({ cols: 80, rows: 24 })
  detect(emulator.screen(), nothingKnown)
  void emulator
    .write('$ rm -i notes.txt\r\nremove notes.txt? [y/N] ')
    .then(() => detect(emulator.screen(), { ...nothingKnown, kernel: { reading: 'read', program: 'rm' } }))
    .finally(() => emulator.dispose())
})

parentPort?.on('message', (order: Order) => {
  carryOut(order).catch((error: unknown) => failed('opening' in order ? order.opening.id : order.id, error))
})

// Nothing waited for it; other terminals continue.
process.on('unhandledRejection', (error) => failed('', error))

/** An error in one terminal stops watching only that one. */
function failed(id: string, error: unknown): void {
  const message = `Something failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`
  send({ op: 'trouble', id, fault: { kind: 'unavailable', code: 'terminal_failed', message } })
  const broken = all.get(id)
  if (!broken) return
  all.delete(id)
  // The recording stays, and the next adoption continues from there.
  void broken
    .then((terminal) => terminal.close())
    .catch(() => 0)
    .then((recorded) => send({ op: 'failed', id, recorded }))
}

async function carryOut(order: Order): Promise<void> {
  if (order.op === 'open') {
    const { id } = order.opening
    const opening = openTerminal(order.opening, { send, modes, masks: masksOf(order.opening.masks) })
    all.set(id, opening)
    await opening.catch((error: unknown) => {
      all.delete(id)
      const message = `Its recording can't be opened: ${error instanceof Error ? error.message : String(error)}`
      send({ op: 'trouble', id, fault: { kind: 'unavailable', code: 'recording_failed', message } })
      send({ op: 'closed', id, recorded: 0 })
    })
    return
  }
  if (order.op === 'close' && order.id === '') return closeAll()
  const terminal = await all.get(order.id)?.catch(() => undefined)
  if (!terminal) {
    if (order.op === 'ask') send({ op: 'answer', n: order.n, answer: notFound('terminal', order.id) })
    return
  }
  switch (order.op) {
    case 'bytes':
      return terminal.bytes(order.bytes, order.offset)
    case 'typed':
      return terminal.typed(order, order.inputs)
    case 'probed':
      return terminal.probed(order.n, order.foreground)
    case 'resize':
      return terminal.resize(order)
    case 'readers':
      return terminal.readers(order.some)
    case 'exit':
      return terminal.exit(order.code)
    case 'ask': {
      const answer = await terminal
        .ask(order.question)
        .catch((error: unknown) => fail({ kind: 'unavailable', code: 'terminal_failed', message: String(error) }))
      return send({ op: 'answer', n: order.n, answer })
    }
    case 'close':
      all.delete(order.id)
      return send({ op: 'closed', id: order.id, recorded: await terminal.close() })
    default:
      order satisfies never
  }
}

/** Compiled once for all terminals with the same masks. */
function masksOf(expressions: readonly string[]): CaptureMasks {
  const key = expressions.join('\n')
  const made =
    maskSets.get(key) ??
    captureMasks(
      expressions.flatMap((source) => {
        const mask = compileMask(source)
        return mask.ok ? [mask.value] : []
      }),
    )
  maskSets.set(key, made)
  return made
}

/** The server stops: what was read is stored, and the thread ends. */
async function closeAll(): Promise<void> {
  await Promise.allSettled([...all.values()].map(async (terminal) => (await terminal).close()))
  modes[Symbol.dispose]()
  parentPort?.close()
}
