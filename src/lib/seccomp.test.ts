import { describe, expect, it } from 'vitest'
import { seccompFilter } from './seccomp.ts'

const audit = { x64: 0xc000003e, arm64: 0xc00000b7 }
type Arch = keyof typeof audit

/** What the kernel would answer to a call: allowed, or an errno. */
function verdict(filter: Buffer, call: { arch: number; nr: number; args?: readonly number[] }): number | 'allowed' {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(call.nr >>> 0, 0)
  data.writeUInt32LE(call.arch, 4)
  for (const [index, value] of (call.args ?? []).entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index)
  let held = 0
  for (let at = 0; ; at += 1) {
    const [code, yes, no] = [filter.readUInt16LE(at * 8), filter.readUInt8(at * 8 + 2), filter.readUInt8(at * 8 + 3)]
    const value = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x20) held = data.readUInt32LE(value)
    else if (code === 0x15) at += held === value ? yes : no
    else if (code === 0x45) at += (held & value) !== 0 ? yes : no
    else return value === 0x7fff0000 ? 'allowed' : value & 0xffff
  }
}

const [refused, unknown, unsupported] = [1, 38, 95]
const numbers: Record<Arch, Record<string, number>> = {
  x64: { read: 0, open: 2, openat: 257, chmod: 90, fchmodat: 268, ioctl: 16, keyctl: 250, setxattr: 188, mount: 165 },
  arm64: { read: 63, openat: 56, fchmodat: 53, ioctl: 29, keyctl: 219, setxattr: 5, mount: 40 },
}

describe.each(['x64', 'arm64'] as const)('the filter of system calls for %s', (arch) => {
  const filter = seccompFilter({ attributes: 'refused' }, arch)!
  const of = (name: string, ...args: number[]) => verdict(filter, { arch: audit[arch], nr: numbers[arch][name]!, args })

  it('allows what programs need, including their own sandboxes', () => {
    expect([of('read'), of('mount'), of('ioctl', 0, 0x5401), of('openat', 0, 0, 0)]).toEqual(Array(4).fill('allowed'))
  })

  it('refuses bits that grant rights, only where the mode counts', () => {
    expect([of('fchmodat', 0, 0, 0o755), of('fchmodat', 0, 0, 0o4755), of('fchmodat', 0, 0, 0o2755)]).toEqual([
      'allowed',
      refused,
      refused,
    ])
    expect([of('openat', 0, 0, 0o101, 0o644), of('openat', 0, 0, 0o101, 0o4755)]).toEqual(['allowed', refused])
    expect([of('openat', 0, 0, 0o20200001, 0o4755), of('openat', 0, 0, 0o1, 0o4755)]).toEqual([refused, 'allowed'])
  })

  it('is not misled by the upper half of an argument', () => {
    expect([
      of('ioctl', 0, 0x5412),
      of('ioctl', 0, 0x1_0000_5412),
      of('fchmodat', 0, 0, 0x1_0000_0000 + 0o4755),
    ]).toEqual([refused, refused, refused])
  })

  it('refuses keys, what it can’t inspect, foreign calls and, for root, attributes', () => {
    expect([of('keyctl'), of('setxattr')]).toEqual([refused, unsupported])
    for (const nr of [425, 426, 427, 437]) expect(verdict(filter, { arch: audit[arch], nr })).toBe(unknown)
    expect(verdict(filter, { arch: 0x40000003, nr: 90, args: [0, 0o755] })).toBe(unknown)
    const forOthers = seccompFilter({ attributes: 'allowed' }, arch)!
    expect(verdict(forOthers, { arch: audit[arch], nr: numbers[arch]['setxattr']! })).toBe('allowed')
  })
})

it('the x64 filter covers its second call convention too', () => {
  const filter = seccompFilter({ attributes: 'allowed' }, 'x64')!
  expect(verdict(filter, { arch: audit.x64, nr: 0x40000000 + 90, args: [0, 0o755] })).toBe(unknown)
  expect(verdict(filter, { arch: audit.x64, nr: 2, args: [0, 0o101, 0o4755] })).toBe(refused)
})

it('there is none for an unknown processor', () => {
  expect(seccompFilter({ attributes: 'allowed' }, 'riscv64')).toBeNull()
})
