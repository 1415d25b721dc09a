// One throwaway PostgreSQL in a separate process: it ends when its stdin closes, so however the test run ends
// (done, interrupted, killed) the server stops and its folder is removed.
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, accountFor, postgresBinaries } from './postgres-binaries.ts'

const settings = {
  listen_addresses: '127.0.0.1',
  max_connections: 200,
  max_wal_size: '2GB',
  // It must survive processes, not the machine: nothing waits for the disk.
  fsync: 'off',
  full_page_writes: 'off',
  log_min_messages: 'log',
  timezone: 'UTC',
}

const folder = await mkdtemp(join(tmpdir(), 'sbpg-'))
let server: ChildProcess | undefined
let stopping = false

process.stdin.resume().on('close', stop)
process.on('SIGTERM', stop).on('SIGINT', stop).on('SIGHUP', stop)
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

try {
  console.log(await start())
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error)
  if (!stopping) console.error(`PostgreSQL for the tests did not start: ${reason}`)
  process.exitCode = 1
  stop()
}

async function start(): Promise<string> {
  const account = await accountFor(process.getuid?.())
  if (account.uid !== undefined) await chown(folder, account.uid, account.gid ?? account.uid)
  const { initdb, postgres } = await postgresBinaries(folder, account)
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  if (account.uid !== undefined) await chown(data, account.uid, account.gid ?? account.uid)
  await runToEnd(
    initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    account,
  )
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    if (await serve(postgres, data, port, account)) return `postgres://postgres@127.0.0.1:${port}/postgres`
    if (attempt === 5) throw new Error('no port could be bound in five attempts')
  }
}

/** Whether it started; another process may have taken the port meanwhile. */
function serve(postgres: string, data: string, port: number, account: Account): Promise<boolean> {
  const options = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const child = spawn(postgres, ['-D', data, '-p', `${port}`, '-k', folder, ...options], {
    ...account,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server = child
  const said: string[] = []
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.stderr.on('data', (chunk: Buffer) => {
      said.push(chunk.toString())
      if (said.join('').includes('ready to accept connections')) resolve(true)
    })
    child.on('exit', () => {
      if (said.join('').includes('Address already in use')) resolve(false)
      else reject(new Error(said.join('').trim() || 'the server ended without a word'))
    })
  })
}

function runToEnd(command: string, args: string[], account: Account): Promise<void> {
  const child = spawn(command, args, { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  server = child
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `initdb ended with ${code}`)),
    )
  })
}

function freePort(): Promise<number> {
  const probe = createServer()
  return new Promise((resolve, reject) => {
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}

function stop(): void {
  if (stopping) return
  stopping = true
  const end = async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    process.exit()
  }
  if (!server || server.exitCode !== null || server.signalCode !== null || !server.pid) return void end()
  server.once('exit', () => void end())
  // An immediate stop: nothing in it is kept.
  server.kill('SIGQUIT')
}
