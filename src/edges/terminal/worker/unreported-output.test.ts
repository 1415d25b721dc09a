import { expect, it } from 'vitest'
import { createUnreportedOutput } from './unreported-output.ts'

const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString()

it('returns what was added up to an offset, once, as a new buffer', () => {
  const fresh = createUnreportedOutput(100)
  fresh.add(Buffer.from('hello '))
  fresh.add(Buffer.from('world'))
  const first = fresh.upTo(108)
  expect(text(first)).toBe('hello wo')
  expect(first?.buffer.byteLength).toBe(8)
  expect(fresh.upTo(108)).toBeNull()
  fresh.add(Buffer.from('!'))
  expect(text(fresh.upTo(1000))).toBe('rld!')
  expect(fresh.upTo(1000)).toBeNull()
})

it('has nothing that was recorded before there was a reader', () => {
  expect(createUnreportedOutput(100).upTo(100)).toBeNull()
  expect(createUnreportedOutput(100).upTo(50)).toBeNull()
})
