import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { execute, type PostgresReply } from './postgres.ts'

const template = 'sb_template'
const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

type Running = { child: ChildProcess; reply: Promise<string> }

/** For the whole run: a socket where workers request PostgreSQL's address. The first request starts it. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'sbt-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.on('exit', removeFolder)
  let running: Running | undefined
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    running ??= startPostgres()
    void running.reply.then((line) => socket.end(line))
  })
  const path = join(folder, 'server')
  await once(server.listen(path), 'listening')
  process.env['SIGNALBOX_TEST_POSTGRES_SOCKET'] = path

  return async () => {
    server.close()
    if (running && running.child.exitCode === null) {
      running.child.stdin?.end()
      await once(running.child, 'exit')
    }
    removeFolder()
    process.off('exit', removeFolder)
  }
}

function startPostgres(): Running {
  // Detached: Ctrl-C in the terminal is for the tests, which may still need it while they end.
  const child = spawn(process.execPath, [fileURLToPath(new URL('postgres-process.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  let out = ''
  let wrong = ''
  child.stderr.on('data', (chunk: Buffer) => (wrong += chunk.toString()))
  const reply = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      if (out.includes('\n')) void withTemplate(out.trim()).then(resolve)
    })
    child.on('close', () => resolve(JSON.stringify({ fault: wrong.trim() || 'PostgreSQL for the tests ended early.' })))
  })
  return { child, reply }
}

/** Makes the database that servers get copies of: the schema by the program itself, once for the whole run. */
async function withTemplate(url: string): Promise<string> {
  const own = new URL(url)
  own.pathname = `/${template}`
  try {
    await execute(url, `create database ${template} template template0`)
    await promisify(execFile)(process.execPath, [program, 'db', 'migrate'], {
      env: {
        PATH: process.env['PATH'],
        SIGNALBOX_HOME: join(tmpdir(), 'sb-no-home'),
        SIGNALBOX_DATABASE__URL: own.href,
      },
    })
    return JSON.stringify({ url, template } satisfies PostgresReply)
  } catch {
    // Not built: each server makes its schema itself, and says what is wrong with it.
    return JSON.stringify({ url, template: null } satisfies PostgresReply)
  }
}
