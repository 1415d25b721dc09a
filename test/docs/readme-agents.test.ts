import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const scripts = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '')
const elsewhere = 'SIGNALBOX_URL=http://127.0.0.1:3001'

describe('the README’s agents with a server on another port', () => {
  let server: Server
  beforeAll(async () => {
    // As the page starts it, for the agent over MCP.
    server = await startServer({ env: { SIGNALBOX_WORKSPACE_ROOT: root } })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  const atThisPort = (script: string) => {
    const own = `SIGNALBOX_URL=${server.address}`
    return script.includes(elsewhere)
      ? script.replace(elsewhere, own)
      : script.replace(/(?<=^\s*)node /m, `${own} node `)
  }

  it.each([
    ['over HTTP', 'examples/agent.mjs', 'Run rm -rf build'],
    ['over MCP', 'examples/mcp-agent.mjs', 'Write notes.md'],
  ])('%s asks with exactly the lines printed there', async (_how, file, title) => {
    const meant = scripts.filter((script) => script.includes(file))
    const script = meant.find((one) => one.includes(elsewhere)) ?? meant[0] ?? ''
    const env = cleanEnv({ SIGNALBOX_HOME: server.home, PATH: process.env['PATH'] ?? '' })
    const agent = spawn('sh', ['-c', atThisPort(script)], { env, cwd: root, detached: true })
    let printed = ''
    agent.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    agent.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    const ended = new Promise((resolve) => agent.on('close', resolve))
    try {
      const asked = async () => (await server.cli('asks')).stdout.includes(title)
      await until(asked, { seconds: 20, what: `an ask "${title}"` }).catch((error: unknown) => {
        throw new Error(`${String(error)}; it printed ${printed}`)
      })
    } finally {
      if (agent.pid !== undefined && agent.exitCode === null) process.kill(-agent.pid, 'SIGKILL')
      await ended
    }
    expect(printed).not.toContain('Not signed in')
  })
})
