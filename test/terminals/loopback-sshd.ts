import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import type { Account } from './account.ts'

const sshd = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/sbin/sshd'].find((path) => existsSync(path))

/**
 * An ssh server on loopback with its own key and configuration, and the client's side in `folder`:
 * hosts `box` (by key), `fresh` (never seen before) and `locked` (by password).
 */
export async function openSshd(folder: string, account: Account): Promise<AsyncDisposable | null> {
  if (!sshd || !existsSync('/usr/bin/ssh-keygen')) return null
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  for (const key of ['host-key', 'own-key'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, key)])
  const port = await freePort()
  const server = join(folder, 'sshd_config')
  writeFileSync(server, serverSide(folder, port, account))
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'own-key.pub')))
  const hostKey = readFileSync(join(folder, 'host-key.pub'), 'utf8').split(' ').slice(0, 2).join(' ')
  writeFileSync(join(folder, 'known_hosts'), `[127.0.0.1]:${port} ${hostKey}\n`)
  writeFileSync(join(folder, 'ssh_config'), clientSide(folder, port, account))
  const child = spawn(sshd, ['-D', '-e', '-f', server], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => resolve())
  })
  const orphaned = () => child.kill('SIGKILL')
  process.on('exit', orphaned)
  await until(async () => child.exitCode !== null || (await answers(port)), { what: 'the sshd' })
  if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}: ${said}`)
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
      process.off('exit', orphaned)
    },
  }
}

const serverSide = (folder: string, port: number, account: Account) => `
Port ${port}
ListenAddress 127.0.0.1
HostKey ${folder}/host-key
PidFile none
UsePAM no
StrictModes no
AuthorizedKeysFile ${folder}/authorized_keys
PasswordAuthentication yes
KbdInteractiveAuthentication no
AllowUsers ${account.name}
MaxStartups 200
Subsystem sftp internal-sftp
PrintMotd no
PrintLastLog no
`

const clientSide = (folder: string, port: number, account: Account) => `
Host fresh
  UserKnownHostsFile ${folder}/known_hosts_of_nobody
  StrictHostKeyChecking ask
Host locked
  PubkeyAuthentication no
  PreferredAuthentications password
Host box fresh locked
  HostName 127.0.0.1
  Port ${port}
  User ${account.name}
  IdentityFile ${folder}/own-key
  IdentitiesOnly yes
  UserKnownHostsFile ${folder}/known_hosts
  GlobalKnownHostsFile none
  LogLevel ERROR
`

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
