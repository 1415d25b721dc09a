import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountFor, postgresBinaries, type Account } from '../support/postgres-binaries.ts'

/** A separate PostgreSQL with a password, to be killed and restarted at the same address. */
export type OwnPostgres = AsyncDisposable & {
  urlWith(password: string): string
  readonly url: string
  start(): Promise<void>
  /** Ends it at once, as a crash would. */
  crash(): Promise<void>
}

const password = 'correct-horse'

export async function ownPostgres(): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'sbq-'))
  const account = await accountFor(process.getuid?.())
  const data = join(folder, 'data')
  const secret = join(folder, 'password')
  await mkdir(data, { mode: 0o700 })
  await writeFile(secret, password)
  for (const path of [folder, data, secret]) await own(path, account)
  const { initdb, postgres } = await postgresBinaries(folder, account)
  const options = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8', '--no-sync']
  const [code] = await once(spawn(initdb, options, { ...account, cwd: folder, stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`initdb ended with ${String(code)}`)
  const port = await freePort()
  let server: ChildProcess | null = null
  const urlWith = (word: string) => `postgres://postgres:${word}@127.0.0.1:${port}/postgres`

  async function crash(): Promise<void> {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGQUIT')
    await gone
  }

  return {
    urlWith,
    url: urlWith(password),
    crash,
    async start() {
      const child = spawn(postgres, ['-D', data, '-p', `${port}`, '-k', folder, '-c', 'listen_addresses=127.0.0.1'], {
        ...account,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      server = child
      await new Promise<void>((resolve, reject) => {
        let said = ''
        child.stderr.on('data', (chunk: Buffer) => {
          said += chunk.toString()
          if (said.includes('ready to accept connections')) resolve()
        })
        child.on('exit', () => reject(new Error(`PostgreSQL ended: ${said}`)))
      })
    },
    async [Symbol.asyncDispose]() {
      await crash()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function own(path: string, { uid, gid }: Account): Promise<void> {
  if (uid !== undefined) await chown(path, uid, gid ?? uid)
}

export async function freePort(): Promise<number> {
  const probe = createServer()
  await once(probe.listen(0, '127.0.0.1'), 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return port
}
