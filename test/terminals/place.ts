import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccount, type Account } from './account.ts'
import { openSshd } from './loopback-sshd.ts'

/** Where the programs run: files to ask about, an account with a password, and a far side. */
export type Place = AsyncDisposable & {
  /** A directory for each case, with the same files. */
  folder(): string
  readonly root: string
  readonly account: Account | null
  /** There is a loopback sshd. */
  readonly far: boolean
  /** The server that starts the terminals. */
  readonly env: Record<string, string>
  /** A web server that prints "Login: " and then nothing for a long time. */
  readonly slow: string
  /** A port that sends a greeting and then nothing: a question, or a notice that continues. */
  readonly asking: number
  readonly telling: number
}

export async function openPlace(): Promise<Place> {
  await using stack = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'sbl-'))
  // The account must be able to enter it.
  chmodSync(root, 0o755)
  stack.defer(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))
  const bin = join(root, 'bin')
  const ssh = join(root, 'ssh')
  const home = join(root, 'home')
  for (const folder of [bin, ssh, home]) mkdirSync(folder)
  mkdirSync(join(home, '.gnupg'), { mode: 0o700 })
  const account = openAccount(join(root, 'far-home'))
  if (account) stack.use(account)
  const sshd = account ? await openSshd(ssh, account) : null
  if (sshd) stack.use(sshd)
  writeFileSync(join(bin, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F ${ssh}/ssh_config "$@"\n`, { mode: 0o755 })
  const { url: slow, close } = await slowServer()
  stack.defer(close)
  const asking = stack.use(await greeter('Welcome\r\nlogin: '))
  const telling = stack.use(await greeter('Sending the list ...\r\n'))
  let count = 0
  const kept = stack.move()
  return {
    root,
    account,
    far: sshd !== null,
    slow,
    asking: asking.port,
    telling: telling.port,
    env: {
      PATH: `${bin}:/usr/bin:/bin:/usr/sbin:/sbin:${process.env['PATH'] ?? ''}`,
      HOME: home,
      LANG: 'C.UTF-8',
      GIT_CONFIG_NOSYSTEM: '1',
      LESSHISTFILE: '-',
    },
    folder() {
      count += 1
      const folder = join(root, `case-${count}`)
      furnish(folder)
      return folder
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

const lines = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text} ${n + 1}\n`).join('')

function furnish(folder: string): void {
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('a.txt', 'first\n')
  write('b.txt', 'second\n')
  write('long.txt', lines(200, 'line'))
  write('questions.txt', 'Overwrite? [y/N]\nPassword:\nAre you sure? ')
  write('page.1', `.TH PAGE 1\n.SH NAME\npage \\- a page\n.SH DESCRIPTION\n${lines(80, '.PP\nparagraph')}`)
  write('Makefile', 'all:\n\t@printf "Select an option [1-3]: "; sleep 30\n')
  write('change.diff', '--- nowhere.txt\n+++ nowhere.txt\n@@ -1 +1 @@\n-first\n+changed\n')
}

/** A repository with an unstaged change. */
export function withGit(folder: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder })
  git('init', '-q')
  git('add', 'a.txt')
  git('commit', '-qm', 'first')
  writeFileSync(join(folder, 'a.txt'), 'changed\n')
  return folder
}

async function slowServer(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-length': '100000000' })
    response.write(request.url === '/words' ? 'Login: ' : 'x'.repeat(1000))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function greeter(greeting: string): Promise<AsyncDisposable & { port: number }> {
  const open = new Set<Socket>()
  const server = createSocketServer((socket) => {
    open.add(socket)
    socket.on('error', () => undefined)
    socket.write(greeting)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
