import { expect, it } from 'vitest'
import { createRecentOutput } from './live-terminal.ts'

const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString()

it('returns output from an offset on, piece by piece', () => {
  const tail = createRecentOutput()
  tail.add(10, Buffer.from('abc'))
  tail.add(13, Buffer.from('def'))
  expect(text(tail.at(10))).toBe('abc')
  expect(text(tail.at(12))).toBe('c')
  expect(text(tail.at(13))).toBe('def')
  expect(tail.at(9)).toBeNull()
  expect(tail.at(16)).toBeNull()
  tail.clear()
  expect(tail.at(13)).toBeNull()
})

it('forgets the oldest instead of growing', () => {
  const tail = createRecentOutput()
  const megabyte = 1024 * 1024
  for (let piece = 0; piece < 5; piece += 1) tail.add(piece * megabyte, new Uint8Array(megabyte))
  expect(tail.at(2 * megabyte)).toBeNull()
  expect(tail.at(3 * megabyte)?.length).toBe(megabyte)
  expect(tail.at(5 * megabyte - 1)?.length).toBe(1)
})
