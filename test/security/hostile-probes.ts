import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chown, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { AgentSession } from '../conformance/agents-harness.ts'
import { until } from '../support/until.ts'
import type { SandboxHarness } from './sandbox-harness.ts'

/** What a probe can use. */
export type Scene = AsyncDisposable & {
  level: 'none' | 'sandbox' | 'container'
  harness: SandboxHarness
  session: AgentSession
  workspace: string
  /** Output of a script in its shell. */
  run(script: string): Promise<string>
  /** A process outside, and a socket with a listener. */
  outsider: number
  another: number
  socket: string
  other: string
}

const numbers = {
  x64: { keyctl: 250, ptrace: 101, bpf: 321, perf: 298, module: 313, io_uring: 425, openat2: 437, openByHandle: 304 },
  arm64: { keyctl: 219, ptrace: 117, bpf: 280, perf: 241, module: 273, io_uring: 425, openat2: 437, openByHandle: 265 },
}[process.arch as 'x64' | 'arm64']

/** A system call by its number, made by perl; prints the name of the error. */
const call = (number: number, ...args: (number | string)[]): string =>
  `perl -e 'use Errno; my $r = syscall(${[number, ...args].join(', ')}); print $r >= 0 ? "done" : (grep { $!{$_} } keys %!)[0], "\\n"'`

const reads = (path: string): string =>
  `cat '${path}' 2>/dev/null | head -c 1000 | grep -q . && echo read || echo refused`
const writes = (path: string): string => `(echo x > '${path}') 2>/dev/null && echo written || echo refused`
const lists = (path: string): string => `ls -A '${path}' 2>/dev/null`

/** A line of the table in docs/security.md, and the probe that shows it. */
export const probes: Record<string, (scene: Scene) => Promise<void>> = {
  "Read the home of the server's user": async ({ run, harness }) => {
    await writeFile(join(harness.home, 'private.txt'), 'private')
    expect(await run(`${reads(join(harness.home, 'private.txt'))}; ${lists(harness.home)}; ${lists('/root')}`)).toBe(
      'refused',
    )
    expect(await run(`ls -A /home/* 2>/dev/null; echo listed`)).toBe('listed')
  },
  'Write to the home': async ({ run, harness, level }) => {
    expect(await run(writes(join(harness.home, '.profile')))).toBe(level === 'sandbox' ? 'written' : 'refused')
    expect(existsSync(join(harness.home, '.profile'))).toBe(false)
  },
  'Read the data directory of Signalbox': async ({ run, harness }) => {
    expect(existsSync(join(harness.server.home, 'signalbox.db'))).toBe(true)
    expect(await run(`${reads(join(harness.server.home, 'signalbox.db'))}; ${lists(harness.server.home)}`)).toBe(
      'refused',
    )
  },
  'Open the sockets of the server and the keeper': async ({ run, harness }) => {
    const sockets = (await readdir(join(harness.server.home, 'run'))).filter((name) => name.endsWith('.sock'))
    expect(sockets.length).toBeGreaterThanOrEqual(1)
    for (const name of sockets) expect(await run(connecting(join(harness.server.home, 'run', name)))).toMatch(/ENOENT/)
  },
  'Open a socket of another program, by its path': async ({ run, socket }) => {
    expect(await run(connecting(socket))).toMatch(/ENOENT/)
  },
  'Read or write the workspace of another session': async ({ run, other }) => {
    expect(await run(`${reads(join(other, 'theirs.txt'))}; ${writes(join(other, 'mine.txt'))}`)).toBe(
      'refused\nrefused',
    )
    expect(await readdir(other)).not.toContain('mine.txt')
  },
  'See directories that are not part of the system': async ({ run }) => {
    const system = 'bin dev etc home lib lib32 lib64 libx32 libexec nix gnu snap opt proc root run sbin sys tmp usr var'
    const seen = (await run('ls -A /')).split('\n').filter((name) => !system.split(' ').includes(name))
    // Only the directories on the path to Node and to the workspace, and in a container one of ours. A clone is seen: it holds
    // the practice agent.
    const clone = fileURLToPath(new URL('../..', import.meta.url))
    for (const name of seen.filter((one) => one !== 'signalbox' && one !== '.dockerenv')) {
      const files = await run(
        `find /${name} -maxdepth 2 -type f -not -path '${clone}*' 2>/dev/null | head -3; echo looked`,
      )
      expect(files).toBe('looked')
    }
    expect(await run(`ls -A /boot /srv /mnt /media /var/lib /var/log /var/spool /var/backups 2>/dev/null`)).not.toMatch(
      /dpkg|syslog|cron|passwd/,
    )
  },
  'Read /etc/shadow and other files only root may read': async ({ run }) => {
    expect(await run(reads('/etc/shadow'))).toBe('refused')
    expect(
      await run(`find /etc -type f ! -perm -o+r 2>/dev/null -exec head -c 1 {} ';' 2>/dev/null; echo looked`),
    ).toBe('looked')
    expect(await run(reads('/etc/passwd'))).toBe('read')
  },
  'Write to the system': async ({ run }) => {
    for (const path of ['/etc/was-here', '/usr/was-here', '/was-here', '/opt/was-here', '/sys/kernel/was-here'])
      expect(await run(writes(path))).toBe('refused')
  },
  'Change settings of the kernel': async ({ run }) => {
    const script = `for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/swappiness /proc/sys/net/ipv4/ip_forward; do v=$(cat $f 2>/dev/null); (echo "$v" > $f) 2>/dev/null && echo "$f written"; done; test -w /proc/sysrq-trigger && echo sysrq written; echo tried`
    expect(await run(script)).toBe('tried')
  },
  'Read the memory, the keys and the log of the kernel': async ({ run }) => {
    for (const path of ['/proc/kcore', '/proc/kmsg', '/proc/timer_list', '/dev/mem', '/dev/kmsg', '/proc/slabinfo'])
      expect(await run(reads(path))).toBe('refused')
    expect(await run('dmesg 2>/dev/null | head -1; echo tried')).toBe('tried')
  },
  'Look at processes outside, and at the variables of the server': async ({ run, harness }) => {
    const seen = await run(
      `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c CANARY; ps ax 2>/dev/null || true`,
    )
    expect(seen).toMatch(/^0/)
    expect(seen).not.toContain(' serve')
    expect(await run(`ls /proc/${harness.server.pid} 2>/dev/null | head -1; echo looked`)).toBe('looked')
  },
  'End a process outside': async ({ run, outsider }) => {
    expect(await run(`kill -9 ${outsider} 2>&1; echo`)).toMatch(/No such process/)
    expect(() => process.kill(outsider, 0)).not.toThrow()
  },
  'Attach to a process outside': async ({ run, another }) => {
    expect(await run(call(numbers.ptrace, 16, another, 0, 0))).toBe('ESRCH')
  },
  'Use the disks and other devices': async ({ run }) => {
    const devices = (await run('ls /dev')).split('\n').filter((name) => !['console', 'mqueue', 'core'].includes(name))
    const harmless = 'fd full null ptmx pts random shm stderr stdin stdout tty urandom zero'
    expect(devices.join(' ')).toBe(harmless)
  },
  'Make a device of its own': async ({ run }) => {
    expect(await run('mknod disk b 8 0 2>&1; mknod null c 1 3 2>&1; ls disk null 2>/dev/null')).toMatch(/not permitted/)
    expect(await run('unshare -Ur mknod disk b 8 0 2>&1; ls disk 2>/dev/null; echo tried')).toMatch(
      /not permitted|tried$/,
    )
  },
  'Use the keys the kernel keeps': async ({ run }) => {
    expect(await run(call(numbers.keyctl, 0, -4, 1))).toBe('EPERM')
  },
  'Load programs or modules into the kernel': async ({ run }) => {
    for (const number of [numbers.bpf, numbers.perf, numbers.module, numbers.openByHandle])
      expect(await run(call(number, 0, 0, 0))).toBe('EPERM')
  },
  'Make system calls that no filter sees': async ({ run }) => {
    expect(await run(call(numbers.io_uring, 1, 0))).toBe('ENOSYS')
    expect(await run(call(numbers.openat2, 0, 0, 0, 0))).toBe('ENOSYS')
    // Container engines end a program that tries.
    if (process.arch === 'x64') expect(await run(call(0x4000_0000 + 39))).toMatch(/^(ENOSYS|Bad system call)$/)
  },
  'Type into the terminal it was started from': async ({ run }) => {
    expect(
      await run(`perl -e 'my $c = "x"; print ioctl(STDIN, 0x5412, $c) ? "done" : $!{EPERM} ? "EPERM" : "$!"'`),
    ).toBe('EPERM')
  },
  'Undo the sandbox with namespaces of its own': async ({ run, harness }) => {
    const undo = `umount /proc/sys; umount -l ${harness.home}; mount -o remount,rw,bind /; mount -t proc proc /proc; (echo x > /etc/was-here) && echo written; cat /etc/shadow && echo read; v=$(cat /proc/sys/vm/swappiness); (echo $v > /proc/sys/vm/swappiness) && echo changed`
    for (const before of ['', 'unshare -Urm ', 'unshare -Urmpf '])
      expect(await run(`{ ${before}sh -c '${undo}'; } 2>/dev/null; echo tried`)).toBe('tried')
  },
  'Gain rights through a setuid program': async ({ run, level, harness }) => {
    expect(
      await run(
        "grep NoNewPrivs /proc/self/status | tr -dc 01; find / -xdev -perm -4000 -type f 2>/dev/null | head -1 | xargs -r -n1 sh -c 'echo'",
      ),
    ).toMatch(/^1/)
    const said = await run('su -c id root 2>&1 </dev/null; sudo -n id 2>&1; id -u; grep CapEff /proc/self/status')
    // In a container of a workspace that belongs to root, the user has its number but none of its rights.
    expect(said).not.toMatch(level === 'container' && harness.uid === undefined ? /uid=0/ : /uid=0|^0$/m)
    expect(said).toMatch(/CapEff:\s0+$/)
  },
  'Leave a program with the rights of the server behind': async ({ run, workspace, harness }) => {
    await run('cp /usr/bin/id program; chmod 4755 program; chmod 2755 program; chmod u+s program; chmod g+s program')
    await run(
      `perl -e 'use Fcntl; sysopen(F, "made", O_CREAT | O_WRONLY, 04755); sysopen(G, "made2", O_CREAT | O_WRONLY, 02755)'`,
    )
    await run('cp -p program one; install -m 4755 program two; unshare -Ur chmod 4755 program')
    await run('for with in "" "unshare -Ur "; do $with setcap cap_setuid+ep program; done')
    for (const name of await readdir(workspace)) {
      expect((await lstat(join(workspace, name))).mode & 0o6000).toBe(0)
      if (harness.uid === undefined && existsSync('/usr/sbin/getcap'))
        expect(execFileSync('/usr/sbin/getcap', [join(workspace, name)], { encoding: 'utf8' })).toBe('')
    }
    await run('rm -f program made made2 one two')
  },
  'Change hooks and settings of Git': async ({ run, workspace }) => {
    const git = (name: string) => join(workspace, '.git', name)
    expect(await run(`${writes('.git/hooks/pre-commit')}; ${writes('.git/config')}`)).toBe('refused\nrefused')
    expect(
      await run('git config core.fsmonitor ./evil 2>&1; mv .git .git2 2>&1; rm -rf .git/hooks 2>&1; echo'),
    ).toMatch(/Read-only|busy/)
    expect(existsSync(git('hooks'))).toBe(true)
    await run('printf /elsewhere > .git/commondir')
    await until(() => !existsSync(git('commondir')), { what: 'the end of .git/commondir' })
  },
  'Write a policy, or settings of agents and editors': async ({ run, workspace }) => {
    for (const path of [
      '.signalbox/settings.json',
      '.monocoque/settings.json',
      '.claude/settings.json',
      '.vscode/tasks.json',
    ])
      expect(await run(writes(path))).toBe('refused')
    expect(
      await run(`${writes('AGENTS.md')}; ${writes('sub/CLAUDE.md')}; rm -f AGENTS.md; mv .signalbox x; echo`),
    ).toMatch(/^refused\nrefused/)
    expect(readFileSync(join(workspace, 'AGENTS.md'), 'utf8')).toBe('as it was\n')
  },
  'Create missing agent instructions at the top level': async ({ run, workspace }) => {
    for (const name of ['CLAUDE.md', 'GEMINI.md', '.mcp.json', '.claude.json', 'crush.json'])
      expect(
        await run(`${writes(name)}; rmdir ${name} 2>/dev/null; mv sub ${name} 2>/dev/null; ${writes(`${name}/x`)}`),
      ).toBe('refused\nrefused')
    expect(await readdir(join(workspace, 'CLAUDE.md'))).toEqual([])
  },
  'Have a home mounted by a link where settings are expected': async ({ harness, workspace, level }) => {
    // Another session, so that this one's files stay as they are.
    const next = await harness.start(workspace, { isolation: level })
    const [link, file] = [relative(join(workspace, 'deep'), harness.home), join(harness.home, 'private.txt')]
    await harness.run(next, `mkdir deep; ln -s '${link}' deep/.claude`)
    const last = await harness.start(workspace, { isolation: level })
    expect(await harness.run(last, `${reads(file)}; ${reads('deep/.claude/private.txt')}`)).toBe('refused\nrefused')
    await harness.run(last, 'rm -r deep')
    for (const one of [next, last]) await harness.end(one)
  },
}

function connecting(path: string): string {
  return `node -e 'require("net").connect(process.argv[1]).on("error", (e) => console.log(e.code)).on("connect", () => { console.log("connected"); process.exit() })' '${path}'`
}

/** The table in docs/security.md: each line, and what it says of the three levels. */
export function documented(): { probe: string; none: string; sandbox: string; container: string }[] {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('### What a hostile agent finds from inside\n')
  const [table = ''] = section.split('\n##')
  return table
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| It tries to'))
    .map((line) => {
      const [, probe = '', none = '', sandbox = '', container = ''] = line.split('|').map((cell) => cell.trim())
      return { probe, none, sandbox, container }
    })
}

/** A hostile agent in its workspace, and things outside that it should not reach. */
export async function openScene(harness: SandboxHarness, level: Scene['level']): Promise<Scene> {
  const { uid } = harness
  const [workspace, other] = [await harness.place('work'), await harness.place('other')]
  await writeFile(join(other, 'theirs.txt'), 'theirs')
  await mkdir(join(workspace, 'sub'))
  for (const name of ['AGENTS.md', 'sub/CLAUDE.md']) await writeFile(join(workspace, name), 'as it was\n')
  execFileSync('git', ['init', '--quiet', workspace])
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${uid}`, workspace, other])
  const outside = [0, 1].map(() =>
    spawn('sleep', ['600'], { stdio: 'ignore', ...(uid !== undefined && { uid, gid: uid }) }),
  )
  const socket = join(await harness.place('sockets'), 'some.sock')
  const server = createServer().listen(socket)
  await harness.start(other, { isolation: level })
  const session = await harness.start(workspace, { isolation: level })
  if (uid !== undefined) await chown(socket, uid, uid)
  return {
    level,
    harness,
    session,
    workspace,
    other,
    outsider: outside[0]?.pid ?? 0,
    another: outside[1]?.pid ?? 0,
    socket,
    run: (script) => harness.run(session, script),
    async [Symbol.asyncDispose]() {
      for (const one of outside) one.kill('SIGKILL')
      server.close()
    },
  }
}
