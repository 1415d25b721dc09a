import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AttachListener } from '../../keeper-client/client.ts'
import { fail, ok } from '../../lib/result.ts'
import { readDetachKeys } from './detach-keys.ts'
import type { OwnTerminalEvents, OwnTerminal } from './own-terminal.ts'
import { passThrough } from './pass-through.ts'
import { createScreenModes } from './screen-modes.ts'

afterEach(() => void vi.useRealTimers())

/** Our terminal and the program's side, both controlled by the test. */
async function setUp(how: { typed?: boolean; first?: string; visits?: boolean } = {}) {
  const { typed = true, first, visits = false } = how
  const shown: string[] = []
  const sent: number[] = []
  const sizes: string[] = []
  const state = { paused: false, isOpen: false, detached: false }
  let heard: OwnTerminalEvents | undefined
  let told: AttachListener | undefined
  const closed = Promise.withResolvers<void>()
  const own: OwnTerminal = {
    typed,
    size: () => ({ cols: 100, rows: 30 }),
    likeness: async () => ({}),
    async ready() {},
    open(listener) {
      heard = listener
      state.isOpen = true
      return { [Symbol.dispose]: () => void (state.isOpen = false) }
    },
    pause: () => void (state.paused = true),
    resume: () => void (state.paused = false),
    async write(bytes) {
      shown.push(Buffer.from(bytes).toString('latin1'))
    },
    writeNow: (text) => void shown.push(`now:${text}`),
  }
  const ending = passThrough({
    own,
    closed: closed.promise,
    detachKeys: readDetachKeys('ctrl-],d'),
    visits,
    modes: createScreenModes(),
    ...(first !== undefined && { first }),
    async dial(size, listener) {
      told = listener
      sizes.push(`${size.cols}x${size.rows}`)
      return ok({
        async write(bytes) {
          sent.push(...Buffer.from(bytes))
          return ok(undefined)
        },
        async resize(cols, rows) {
          sizes.push(`${cols}x${rows}`)
          return ok(undefined)
        },
        async detach() {
          state.detached = true
        },
      })
    },
  })
  await vi.waitFor(() => expect(told).toBeDefined())
  if (!heard || !told) throw new Error('not open')
  return { heard, told, ending, shown, sent, sizes, state, close: closed.resolve }
}

describe('passing through', () => {
  it('passes every byte on, both ways, and ends with the program', async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x1d))
    const { heard, told, ending, shown, sent, state } = await setUp()
    heard.keys(all)
    await told.data(all, 0)
    told.exit({ code: 7, signal: null })
    expect(await ending).toEqual(ok({ kind: 'exited', exit: { code: 7, signal: null } }))
    expect(Buffer.from(sent)).toEqual(all)
    expect(shown).toEqual([all.toString('latin1')])
    expect(state).toMatchObject({ isOpen: false, detached: true })
  })

  it('reports our size at first and whenever it changes', async () => {
    const { heard, sizes, told, ending } = await setUp()
    heard.resized({ cols: 80, rows: 20 })
    told.exit({ code: 0, signal: null })
    await ending
    expect(sizes).toEqual(['100x30', '80x20'])
  })

  it('leaves the program running on the detach keys, and restores our terminal', async () => {
    const { heard, told, ending, shown, sent } = await setUp()
    await told.data(Buffer.from('\x1b[?1049h\x1b[?25l'), 0)
    heard.keys(Buffer.from('x\x1d'))
    heard.keys(Buffer.from('d'))
    expect(await ending).toEqual(ok({ kind: 'detached', by: 'keys' }))
    expect(Buffer.from(sent).toString()).toBe('x')
    expect(shown.at(-1)).toBe('now:\x1b[?25h\x1b[?1049l\x1b[0m')
  })

  it('passes the first detach key on if the second does not follow', async () => {
    const { heard, told, ending, sent } = await setUp()
    vi.useFakeTimers()
    heard.keys(Buffer.from('\x1d'))
    expect(sent).toEqual([])
    await vi.advanceTimersByTimeAsync(1000)
    expect(sent).toEqual([0x1d])
    told.exit({ code: 0, signal: null })
    await ending
  })

  it.each(['SIGHUP', 'SIGTERM'] as const)('leaves the program running on %s', async (signal) => {
    const { heard, ending } = await setUp()
    heard.leave(signal)
    expect(await ending).toEqual(ok({ kind: 'detached', by: signal }))
  })

  it('turns end of file into what ends a terminal’s input', async () => {
    const { heard, told, ending, sent } = await setUp({ typed: false })
    heard.keys(Buffer.from('y\n\x1dd'))
    heard.end()
    told.exit({ code: 0, signal: null })
    await ending
    expect(Buffer.from(sent).toString()).toBe('y\n\x1dd\x04\x04')
    const lines = await setUp({ typed: false })
    lines.heard.keys(Buffer.from('y\n'))
    lines.heard.end()
    lines.told.exit({ code: 0, signal: null })
    await lines.ending
    expect(Buffer.from(lines.sent).toString()).toBe('y\n\x04')
  })

  it('interrupts a program whose reader has gone', async () => {
    const { heard, ending, sent } = await setUp({ typed: false })
    heard.deaf()
    expect(await ending).toEqual(ok({ kind: 'detached', by: 'SIGPIPE' }))
    expect(sent).toEqual([3])
  })

  it('ends nothing in a program that was already running: neither on end of file nor when a reader goes', async () => {
    const script = await setUp({ typed: false, visits: true })
    script.heard.keys(Buffer.from('y\n'))
    script.heard.end()
    script.told.exit({ code: 0, signal: null })
    await script.ending
    expect(Buffer.from(script.sent).toString()).toBe('y\n')
    const deaf = await setUp({ typed: false, visits: true })
    deaf.heard.deaf()
    expect(await deaf.ending).toEqual(ok({ kind: 'detached', by: 'SIGPIPE' }))
    expect(deaf.sent).toEqual([])
  })

  it('ends on Ctrl-C if nobody types, and passes it on if someone does', async () => {
    const script = await setUp({ typed: false, visits: true })
    script.heard.interrupt('SIGINT')
    expect(await script.ending).toEqual(ok({ kind: 'detached', by: 'SIGINT' }))
    expect(script.sent).toEqual([])
    const person = await setUp({ visits: true })
    person.heard.interrupt('SIGINT')
    person.told.exit({ code: 0, signal: null })
    await person.ending
    expect(person.sent).toEqual([3])
  })

  it('shows the current screen before new output', async () => {
    const { told, ending, shown } = await setUp({ first: 'now' })
    await told.data(Buffer.from('then'), 3)
    told.exit({ code: 0, signal: null })
    await ending
    expect(shown).toEqual(['now', 'then'])
  })

  it('says where it was when the keeper is gone or has released it', async () => {
    const gone = await setUp()
    await gone.told.data(Buffer.from('abc'), 40)
    gone.close()
    expect(await gone.ending).toEqual(ok({ kind: 'lost', at: 43 }))
    const slow = await setUp()
    slow.told.detached?.('too slow')
    expect(await slow.ending).toEqual(ok({ kind: 'lost', at: null }))
  })

  it('returns the fault if the program does not exist', async () => {
    const fault = { kind: 'not_found', code: 'child_not_found', message: 'No.' } as const
    let isOpen = false
    const open = () => {
      isOpen = true
      return { [Symbol.dispose]: () => void (isOpen = false) }
    }
    const own = {
      typed: true,
      size: () => ({ cols: 80, rows: 24 }),
      open,
      ready: async () => {},
    } as unknown as OwnTerminal
    const dialled = passThrough({
      own,
      dial: async () => fail(fault),
      closed: Promise.resolve(),
      detachKeys: readDetachKeys('none'),
      visits: false,
      modes: createScreenModes(),
    })
    expect(isOpen).toBe(true)
    expect(await dialled).toEqual(fail(fault))
    expect(isOpen).toBe(false)
  })
})
