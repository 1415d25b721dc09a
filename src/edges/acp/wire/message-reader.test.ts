import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Logger } from '../../../lib/log.ts'
import { silentLogger } from '../../../lib/log.ts'
import { createMessageReader } from './message-reader.ts'

function setUp({ start = 0, fails = false } = {}) {
  const taken: [kind: string, offset: number, what: unknown][] = []
  const warnings: object[] = []
  const log: Logger = { ...silentLogger, warn: (fields: object) => void warnings.push(fields) }
  const take = (kind: string) => (what: unknown, offset: number) => {
    taken.push([kind, offset, what])
    if (fails && kind === 'update') throw new TypeError('not like this')
  }
  const intake = createMessageReader({
    start,
    log,
    update: take('update'),
    dialect: take('dialect'),
    call: take('call'),
  })
  return { intake, taken, warnings, push: (text: string) => intake.push(new TextEncoder().encode(text)) }
}

const line = (message: unknown) => `${JSON.stringify(message)}\n`
const update = (content: unknown) => line({ jsonrpc: '2.0', method: 'session/update', params: { update: content } })

describe('the message reader', () => {
  it('hands each line to its handler, in order, with its offset', () => {
    const { push, taken } = setUp({ start: 100 })
    const lines = [
      update({ sessionUpdate: 'plan' }),
      line({ jsonrpc: '2.0', id: 0, method: 'session/request_permission', params: {} }),
      line({ jsonrpc: '2.0', id: 'prompt-1', result: {} }),
      line({ jsonrpc: '2.0', method: 'heartbeat', params: {} }),
      line({ jsonrpc: '2.0', method: '_auth/status_update' }),
    ]
    push(lines.join(''))
    expect(taken.map(([kind]) => kind)).toEqual(['update', 'call', 'call', 'dialect', 'call'])
    const places = lines.map((_line, index) => 100 + lines.slice(0, index).join('').length)
    expect(taken.map(([, offset]) => offset)).toEqual(places)
  })

  it.each([
    ['not JSON', 'npm warn deprecated\n'],
    ['half of it', '{"jsonrpc":"2.0",\n'],
    ['a list', '[]\n'],
    ['a number', '7\n'],
    ['null', 'null\n'],
    ['neither call nor answer', '{"jsonrpc":"2.0"}\n'],
    ['an update without content', line({ method: 'session/update', params: null })],
    ['an update that is a word', update('x')],
  ])('skips nonsense: %s', (_what, text) => {
    const { push, taken, warnings, intake } = setUp()
    push(`${text}${update({ sessionUpdate: 'plan' })}`)
    expect(taken).toEqual([['update', text.length, { sessionUpdate: 'plan' }]])
    expect(warnings).toMatchObject([{ offset: 0 }])
    expect(intake.readUpTo()).toBe(`${text}${update({ sessionUpdate: 'plan' })}`.length)
  })

  it('logs the first of a flood, not each', () => {
    const { push, warnings } = setUp()
    push('rubbish\n'.repeat(1000))
    expect(warnings.length).toBeLessThan(30)
  })

  it('continues with the next line after a bad one', () => {
    const { push, taken, intake } = setUp({ fails: true })
    const text = update({ one: 1 }) + update({ two: 2 })
    push(text)
    expect(taken.map(([, , what]) => what)).toEqual([{ one: 1 }, { two: 2 }])
    expect(intake.readUpTo()).toBe(text.length)
  })

  it('accepts any bytes, and never reads them twice', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), (chunks) => {
        const { intake } = setUp()
        let seen = 0
        for (const chunk of chunks) {
          intake.push(chunk)
          seen += chunk.length
          expect(intake.readUpTo()).toBeLessThanOrEqual(seen)
        }
      }),
    )
  })
})
