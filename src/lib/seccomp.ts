/**
 * A system call filter for bubblewrap's --seccomp. Refuses what container engines refuse, and calls that could leave
 * behind a file with the rights of the sandbox's user. Classic BPF, as bytes.
 */

const refused = 1 // EPERM
const unknown = 38 // ENOSYS: programs fall back to the older call
const unsupported = 95 // EOPNOTSUPP: programs do without

const specialBits = 0o6000 // setuid, setgid
const creates = 0o100 | 0o20000000 // O_CREAT, O_TMPFILE
const typeIntoTerminal = 0x5412 // TIOCSTI
const pasteIntoConsole = 0x541c // TIOCLINUX

type Numbers = Readonly<Record<string, number>>
type Machine = { readonly audit: number; readonly secondAbi: number | null; readonly calls: Numbers }

const sameEverywhere =
  'io_uring_setup 425 io_uring_enter 426 io_uring_register 427 openat2 437 quotactl_fd 443 fchmodat2 452 setxattrat 463'

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    // x32: the same calls under other numbers.
    secondAbi: 0x40000000,
    calls: numbers(
      `${sameEverywhere} open 2 ioctl 16 creat 85 chmod 90 fchmod 91 syslog 103 mknod 133 uselib 134 vhangup 153 acct 163
      settimeofday 164 swapon 167 swapoff 168 reboot 169 iopl 172 ioperm 173 init_module 175 delete_module 176 quotactl 179
      nfsservctl 180 setxattr 188 lsetxattr 189 fsetxattr 190 lookup_dcookie 212 clock_settime 227 kexec_load 246 add_key 248
      request_key 249 keyctl 250 openat 257 mknodat 259 fchmodat 268 perf_event_open 298 fanotify_init 300
      open_by_handle_at 304 finit_module 313 kexec_file_load 320 bpf 321 userfaultfd 323`,
    ),
  },
  arm64: {
    audit: 0xc00000b7,
    secondAbi: null,
    calls: numbers(
      `${sameEverywhere} setxattr 5 lsetxattr 6 fsetxattr 7 lookup_dcookie 18 ioctl 29 mknodat 33 nfsservctl 42 fchmod 52
      fchmodat 53 openat 56 vhangup 58 quotactl 60 acct 89 kexec_load 104 init_module 105 delete_module 106
      clock_settime 112 syslog 116 reboot 142 settimeofday 170 add_key 217 request_key 218 keyctl 219 swapon 224
      swapoff 225 perf_event_open 241 fanotify_init 262 open_by_handle_at 265 finit_module 273 bpf 280 userfaultfd 282
      kexec_file_load 294`,
    ),
  },
}

const never = `keyctl add_key request_key bpf perf_event_open userfaultfd fanotify_init open_by_handle_at kexec_load
  kexec_file_load init_module finit_module delete_module swapon swapoff reboot acct quotactl quotactl_fd lookup_dcookie
  iopl ioperm syslog settimeofday clock_settime vhangup nfsservctl uselib`
// A filter can't see calls made by io_uring, nor the arguments of openat2.
const withoutFilter = 'openat2 io_uring_setup io_uring_enter io_uring_register'
// The index of the mode argument of each call, and of its flags.
const modes: Numbers = { creat: 1, chmod: 1, fchmod: 1, mknod: 1, fchmodat: 2, fchmodat2: 2, mknodat: 2 }
const opens: Readonly<Record<string, { flags: number; mode: number }>> = {
  open: { flags: 1, mode: 2 },
  openat: { flags: 2, mode: 3 },
}

export const hasSeccompFilter = (arch: string = process.arch): boolean => arch in machines

/** The filter for this processor, or null if the processor is unknown. */
export function seccompFilter(
  options: {
    /** File capabilities are extended attributes: those set by root also apply outside the sandbox. */
    readonly attributes: 'allowed' | 'refused'
  },
  arch: string = process.arch,
): Buffer | null {
  const machine = machines[arch]
  if (machine === undefined) return null
  const { audit, secondAbi, calls } = machine
  const program: Instruction[] = [load(4), unless(audit, giveUp(unknown)), load(0)].flat()
  if (secondAbi !== null) program.push(...ifBits(secondAbi, giveUp(unknown)))
  const rule = (names: string, then: (name: string) => Instruction[]): void => {
    for (const name of names.split(/\s+/)) {
      const number = calls[name]
      if (number !== undefined) program.push(...ifCall(number, then(name)))
    }
  }
  rule(never, () => giveUp(refused))
  rule(withoutFilter, () => giveUp(unknown))
  rule('ioctl', () => [
    ...load(argument(1)),
    ...ifEqual(typeIntoTerminal, giveUp(refused)),
    ...ifEqual(pasteIntoConsole, giveUp(refused)),
    ...allow,
  ])
  rule(Object.keys(modes).join(' '), (name) => noSpecialBits(modes[name] ?? 0))
  rule(Object.keys(opens).join(' '), (name) => {
    const { flags, mode } = opens[name] ?? { flags: 0, mode: 0 }
    // Without O_CREAT the mode is whatever the register held.
    return [...load(argument(flags)), ...ifBits(creates, noSpecialBits(mode)), ...allow]
  })
  if (options.attributes === 'refused') rule('setxattr lsetxattr fsetxattr setxattrat', () => giveUp(unsupported))
  return Buffer.concat([...program, ...allow].map(bytes))
}

const noSpecialBits = (mode: number): Instruction[] => [
  ...load(argument(mode)),
  ...ifBits(specialBits, giveUp(refused)),
  ...allow,
]

// The assembler. A jump gives the number of instructions to skip.
type Instruction = { readonly code: number; readonly yes: number; readonly no: number; readonly value: number }

const load = (offset: number): Instruction[] => [{ code: 0x20, yes: 0, no: 0, value: offset }]
/** The lower half of an argument; the kernel ignores the rest for the arguments tested here. */
const argument = (index: number): number => 16 + 8 * index
const give = (value: number): Instruction[] => [{ code: 0x06, yes: 0, no: 0, value }]
const allow = give(0x7fff0000)
const giveUp = (errno: number): Instruction[] => give(0x00050000 + errno)
const ifEqual = (value: number, then: Instruction[]): Instruction[] => [
  { code: 0x15, yes: 0, no: then.length, value },
  ...then,
]
const ifCall = ifEqual
const unless = (value: number, then: Instruction[]): Instruction[] => [
  { code: 0x15, yes: then.length, no: 0, value },
  ...then,
]
const ifBits = (value: number, then: Instruction[]): Instruction[] => [
  { code: 0x45, yes: 0, no: then.length, value },
  ...then,
]

function bytes({ code, yes, no, value }: Instruction): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeUInt16LE(code, 0)
  buffer.writeUInt8(yes, 2)
  buffer.writeUInt8(no, 3)
  buffer.writeUInt32LE(value >>> 0, 4)
  return buffer
}

function numbers(table: string): Numbers {
  const words = table.trim().split(/\s+/)
  const pairs = words.flatMap((word, index) => (index % 2 === 0 ? [[word, Number(words[index + 1])] as const] : []))
  return Object.fromEntries(pairs)
}
