import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { inPty, type InPty } from '../../test/support/in-pty.ts'
import { until } from '../../test/support/until.ts'
import { probeForeground, sameWait, watchWait, type Foreground } from './tty-probe.ts'

const node = process.execPath
const isThere = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const rawNode = 'process.stdin.setRawMode(true); process.stdin.on("data", () => {}); process.stdout.write("ready")'
const threadedPython =
  'import threading,sys\nt=threading.Thread(target=sys.stdin.readline)\nt.start()\nprint("ready",flush=True)\nt.join()'

type Case = [
  what: string,
  argv: readonly [string, ...string[]],
  shows: string,
  reading: Foreground['reading'][],
  program: string,
]

const waiting: Case[] = [
  ['bash read', ['bash', '-c', 'read -p "name? " x; exit'], 'name?', ['read'], 'bash'],
  ['bash read -s', ['bash', '-c', 'read -sp "Password: " x; exit'], 'Password:', ['read'], 'bash'],
  ['bash read in a subshell of a script', ['bash', '-c', '(read -p "sub? " x); true'], 'sub?', ['read'], 'bash'],
  ['bash read with a timeout', ['bash', '-c', 'read -t 1000 -p "soon? " x; exit'], 'soon?', ['read', 'poll'], 'bash'],
  ['an interactive shell', ['bash', '--norc', '-i'], '$', ['read'], 'bash'],
  ['sh read', ['sh', '-c', 'printf "sure? "; read x; exit'], 'sure?', ['read'], 'sh'],
  ['cat', ['sh', '-c', 'echo ready; exec cat'], 'ready', ['read'], 'cat'],
  ['dd', ['sh', '-c', 'echo ready; exec dd bs=1 count=1 status=none'], 'ready', ['read'], 'dd'],
  [
    'head, whose reader is behind a pipe of its own',
    ['sh', '-c', 'echo ready; head -n 1 | cat'],
    'ready',
    ['read'],
    'head',
  ],
  [
    'who reads in a session of its own',
    ['setsid', '-w', 'bash', '-c', 'read -p "apart? " x'],
    'apart?',
    ['read'],
    'bash',
  ],
  [
    'who reads behind script',
    ['script', '-qec', 'bash -c "read -p inside? x"', '/dev/null'],
    'inside?',
    ['read'],
    'bash',
  ],
  [
    'who reads behind expect',
    ['expect', '-c', 'spawn -noecho bash -c {read -p inside? x}; interact'],
    'inside?',
    ['read'],
    'bash',
  ],
  ['less', ['less', fileURLToPath(import.meta.url)], 'import', ['read', 'poll'], 'less'],
  ['less at the end of a pipe', ['sh', '-c', 'yes | less'], 'y', ['read', 'poll'], 'less'],
  ['vim', ['vim', '-u', 'NONE', '-N'], '~', ['read', 'poll'], 'vim'],
  ['python input', ['python3', '-c', 'input("name? ")'], 'name?', ['read'], 'python'],
  ['python getpass', ['python3', '-c', 'import getpass; getpass.getpass("Secret: ")'], 'Secret:', ['read'], 'python'],
  ['a reader in another thread', ['python3', '-c', threadedPython], 'ready', ['read'], 'python'],
  ['node in raw mode', [node, '-e', rawNode], 'ready', ['poll'], ''],
  [
    'node readline',
    [node, '-e', 'require("readline").createInterface(process.stdin, process.stdout).question("who? ", () => {})'],
    'who?',
    ['poll'],
    '',
  ],
]

const working: Case[] = [
  ['sleep', ['sh', '-c', 'echo ready; exec sleep 1000'], 'ready', ['no'], 'sleep'],
  ['text like a prompt, and then work', ['sh', '-c', 'echo "Password: "; sleep 1000; exit'], 'Password:', ['no'], ''],
  ['a busy loop', ['sh', '-c', 'printf "sure? [y/n] "; while :; do :; done'], 'sure?', ['no'], 'sh'],
  ['a reader of a pipe', ['sh', '-c', 'printf "name? "; sleep 1000 | cat'], 'name?', ['no'], ''],
  [
    'select used for sleeping',
    ['python3', '-c', 'import select; print("name? ", flush=True); select.select([], [], [], 1000)'],
    'name?',
    ['no'],
    'python',
  ],
  [
    'poll of a pipe alone',
    [
      'python3',
      '-c',
      'import select,os; r,w=os.pipe(); print("name? ", flush=True); p=select.poll(); p.register(r); p.poll()',
    ],
    'name?',
    ['no'],
    'python',
  ],
  [
    'node that serves and does not look at the terminal',
    [node, '-e', 'require("http").createServer().listen(0, "127.0.0.1", () => console.log("Continue? "))'],
    'Continue?',
    ['no'],
    '',
  ],
  ['work behind script', ['script', '-qec', 'echo "Go on? "; sleep 1000', '/dev/null'], 'Go on?', ['no'], ''],
  ['a reader in the background', ['bash', '-c', 'set -m; cat & echo "name? "; sleep 1000; exit'], 'name?', ['no'], ''],
]

const here = (cases: Case[]) => cases.filter(([, [program]]) => program.includes('/') || isThere(program))

/** Waits for the expected state: programs settle at their own pace. */
async function settled(pty: InPty, wanted: readonly string[], program = ''): Promise<Foreground> {
  let last: Foreground | null = null
  await until(
    () => {
      last = probeForeground(pty.pid, pty.tty)
      return last !== null && wanted.includes(last.reading) && last.program.includes(program)
    },
    { seconds: 10, what: `the foreground, which is ${JSON.stringify(last)}` },
  )
  if (!last) throw new Error('nothing is in the foreground')
  return last
}

describe.skipIf(!existsSync('/proc/self/stat'))('the foreground of a terminal', () => {
  it.each(here(waiting))('is detected as waiting: %s', async (_what, argv, shows, reading, program) => {
    using pty = inPty(argv, { PS1: '$ ' })
    await until(() => pty.text().includes(shows), { what: shows })
    const found = await settled(pty, reading, program)
    expect(sameWait(found.mark, found.mark, true)).toBe(true)
  })

  it.each(here(working))('is detected as not waiting: %s', async (_what, argv, shows, reading, program) => {
    using pty = inPty(argv)
    await until(() => pty.text().includes(shows), { what: shows })
    expect(await settled(pty, reading, program)).toMatchObject({ group: expect.any(Number) })
  })

  it('is the job that a shell runs, and the shell again when it ends', async () => {
    using pty = inPty(['bash', '--norc', '-i'], { PS1: '$ ' })
    await until(() => pty.text().includes('$ '))
    pty.type('cat\n')
    await until(() => probeForeground(pty.pid, pty.tty)?.program === 'cat')
    expect((await settled(pty, ['read'])).group).not.toBe(pty.pid)
    pty.type('\u0004')
    await until(() => probeForeground(pty.pid, pty.tty)?.program === 'bash')
    expect((await settled(pty, ['read'])).group).toBe(pty.pid)
  })

  it('has another mark once the program ran, and the same until then', async () => {
    using pty = inPty(['bash', '-c', 'while read -p "again? " x; do :; done'])
    await until(() => pty.text().includes('again?'))
    const before = await settled(pty, ['read'])
    using watch = watchWait(before.mark)
    expect([watch?.isSame(), probeForeground(pty.pid, pty.tty)?.mark]).toEqual([true, before.mark])
    pty.type('x\n')
    await until(() => pty.text().split('again?').length === 3)
    expect(watch?.isSame()).toBe(false)
    const after = await settled(pty, ['read'])
    expect(sameWait(before.mark, after.mark, true)).toBe(false)
    expect(sameWait(before.mark, after.mark, false)).toBe(true)
  })

  it('is nothing once the program has ended, and its wait is over', async () => {
    using pty = inPty(['sh', '-c', 'printf "name? "; read x'])
    await until(() => pty.text().includes('name?'))
    const before = await settled(pty, ['read'])
    pty.type('x\n')
    await until(() => probeForeground(pty.pid, pty.tty) === null)
    using watch = watchWait(before.mark)
    expect(watch?.isSame() ?? false).toBe(false)
    expect(probeForeground(2 ** 22 + 1, null)).toBe(null)
  })

  it.skipIf(!isThere('tmux'))('that passes its terminal on waits if the other does', async () => {
    const name = `probe-${process.pid}-${Date.now()}`
    using pty = inPty(['tmux', '-L', name, '-f', '/dev/null', 'new-session', 'sh -c "echo ready; exec cat"'])
    try {
      await until(() => pty.text().includes('ready'))
      const found = await settled(pty, ['poll'])
      expect(found.program).toContain('tmux')
      expect(found.relays).toBe(true)
    } finally {
      execFileSync('tmux', ['-L', name, 'kill-server'])
    }
  })

  it('that asked another program to ask waits if that one reads', async () => {
    const asker = 'import os,sys,time; f=open(sys.argv[1],"r+b",buffering=0); f.write(b"Passphrase: "); f.readline()'
    // A daemon's child, as that of gpg-agent: in a session without a terminal, and not below the program.
    const script = `r=$(mktemp -u); mkfifo "$r"; setsid python3 -c '${asker}' "$(tty)" </dev/null >/dev/null 2>"$r" & cat "$r"; rm -f "$r"`
    using pty = inPty(['bash', '-c', script])
    await until(() => pty.text().includes('Passphrase:'))
    expect((await settled(pty, ['read'], 'python')).reading).toBe('read')
  })

  it('takes only a few reads of /proc', async () => {
    using pty = inPty(['bash', '-c', 'read -p "name? " x; exit'])
    await until(() => pty.text().includes('name?'))
    await settled(pty, ['read'])
    const medianMs = (work: () => unknown) => {
      const times = Array.from({ length: 200 }, () => {
        const begun = performance.now()
        work()
        return performance.now() - begun
      })
      return times.sort((a, b) => a - b)[100] ?? 0
    }
    const read = medianMs(() => readFileSync('/proc/self/stat'))
    const probe = medianMs(() => probeForeground(pty.pid, pty.tty))
    expect(probe / read).toBeLessThan(50)
  })
})
