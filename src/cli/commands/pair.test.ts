import { describe, expect, it } from 'vitest'
import { reachFromPhone } from './pair.ts'

describe('whether a phone can reach an address', () => {
  it.each([
    ['http://127.0.0.1:3000', 'no'],
    ['http://localhost:3000', 'no'],
    ['https://localhost', 'no'],
    ['http://[::1]:3000', 'no'],
    ['http://signalbox.localhost:3000', 'no'],
    ['http://192.168.1.20:3000', 'without_notifications'],
    ['http://box.example.org', 'without_notifications'],
    ['https://signalbox.example.org', 'yes'],
    ['https://192.168.1.20:8443', 'yes'],
  ])('%s: %s', (address, reach) => {
    expect(reachFromPhone(address)).toBe(reach)
  })
})
