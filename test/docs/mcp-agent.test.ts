import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { cleanEnv, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

const example = fileURLToPath(new URL('../../examples/mcp-agent.mjs', import.meta.url))

/** The example keeps its address across a restart, so the server must too. */
const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

async function openServer() {
  await using stack = new AsyncDisposableStack()
  const workspace = await mkdtemp(join(tmpdir(), 'sbx-'))
  stack.defer(() => rm(workspace, { recursive: true, force: true }))
  const config = `workspace_root = ${JSON.stringify(workspace)}\n[mcp]\nhold_seconds = 1\n`
  const server = stack.use(await startServer({ config, env: { SIGNALBOX_HTTP_PORT: String(await freePort()) } }))
  const kept = stack.move()
  return { workspace, server, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function runExample(server: Server) {
  const { stdout } = await server.cli('tokens', 'create', '--name', 'demo', '--scope', 'agent')
  const env = cleanEnv({ SIGNALBOX_TOKEN: stdout.trim(), SIGNALBOX_URL: server.address })
  const agent = spawn(process.execPath, [example, 'notes.md', 'Remember the milk'], { env })
  let printed = ''
  agent.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  agent.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const ended = new Promise((resolve) => agent.on('close', resolve))
  return { ended, printed: () => printed, [Symbol.dispose]: () => void agent.kill('SIGKILL') }
}

const openAsk = async (server: Server): Promise<string> => {
  const { asks } = JSON.parse((await server.cli('asks', '--json')).stdout) as { asks: { id: string }[] }
  return asks[0]?.id ?? ''
}

it('the MCP agent asks, waits through kill -9, and writes what was approved', { timeout: 120_000 }, async () => {
  await using place = await openServer()
  const { server, workspace } = place
  using agent = await runExample(server)
  await until(async () => (await openAsk(server)) !== '')
  const id = await openAsk(server)
  await server.kill()
  await server.restart()
  expect(await openAsk(server)).toBe(id)
  expect((await server.cli('answer', id, 'approve')).code).toBe(0)
  expect({ code: await agent.ended, printed: agent.printed() }).toMatchObject({ code: 0 })
  expect(agent.printed()).toContain('Approved: notes.md is written, 18 bytes.')
  expect(await readFile(join(workspace, 'notes.md'), 'utf8')).toBe('Remember the milk\n')
  expect((await server.cli('sessions')).stdout).toMatch(/completed/)
})

it('the MCP agent leaves what was rejected alone, and says why', { timeout: 120_000 }, async () => {
  await using place = await openServer()
  const { server, workspace } = place
  using agent = await runExample(server)
  await until(async () => (await openAsk(server)) !== '')
  const id = await openAsk(server)
  expect((await server.cli('answer', id, 'reject', 'not', 'today')).code).toBe(0)
  expect(await agent.ended).toBe(0)
  expect(agent.printed()).toContain('Not approved (rejected). not today')
  await expect(readFile(join(workspace, 'notes.md'))).rejects.toThrow('ENOENT')
})
