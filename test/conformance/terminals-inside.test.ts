import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import { cliCommand, openRunHarness, type RunHarness } from './terminals-run-harness.ts'
import { roomy } from './work.ts'

/** Terminals, as the API lists them. */
type Listed = { terminals: { sessionId: string; parentSessionId: string | null }[] }

describe('inside signalbox run', () => {
  let server: Server
  let harness: RunHarness
  let workspace: string
  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'sbi-'))
    server = await startServer({ config: `${roomy}workspace_root = "${workspace}"\n` })
    harness = await openRunHarness({ home: server.home })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
    await rm(workspace, { recursive: true, force: true })
  })

  /** Runs lines of shell in a terminal of ours. */
  async function inside(script: string): Promise<{ code: number; shown: string }> {
    const terminal = harness.openTerminal('run', '--', 'sh', '-c', script)
    const code = await terminal.ended()
    return { code, shown: terminal.shown().replaceAll('\r\n', '\n') }
  }

  it('T every command works in a terminal that Signalbox runs', async () => {
    const commands = ['status', 'sessions', 'asks', 'config show --local', 'terminals', 'logs --help']
    const lines = commands.map(
      (command) => `${cliCommand} ${command} >out.txt 2>err.txt; echo "${command} $?"; cat err.txt`,
    )
    const { shown } = await inside(lines.join('\n'))
    expect(shown).toBe(commands.map((command) => `${command} 0\n`).join(''))
  })

  it('T MCP works in it', async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'inside', version: '1' } }
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params }
    const file = join(server.home, 'hello.json')
    await writeFile(file, `${JSON.stringify(hello)}\n`)
    const { shown } = await inside(`cd ${workspace}; ${cliCommand} mcp < ${file}`)
    expect(shown).toContain('"serverInfo"')
  })

  it('B15 hooks of Claude Code work in it', async () => {
    const id = randomUUID()
    const event = { session_id: id, cwd: workspace, hook_event_name: 'UserPromptSubmit', prompt: 'Go on.' }
    const file = join(server.home, 'event.json')
    await writeFile(file, JSON.stringify(event))
    const { code, shown } = await inside(`${cliCommand} hook prompt < ${file}`)
    expect({ code, shown }).toEqual({ code: 0, shown: '' })
    expect(await server.api().get<{ agent: string }>(`/api/sessions/${id}`)).toMatchObject({ agent: 'claude-code' })
  })

  it('T8 a nested run works, and knows its parent; attach works', async () => {
    const outer = harness.openTerminal(
      'run',
      '--',
      'sh',
      '-c',
      `${cliCommand} run -- sh -c 'echo I am in; read a; exit 6'`,
    )
    await outer.until('I am in')
    const nested = await until(async () => {
      const { terminals } = await server.api().get<Listed>('/api/terminals')
      return terminals.find(({ parentSessionId }) => parentSessionId !== null) ?? null
    })
    const attached = harness.openTerminal('run', '--', 'sh', '-c', `${cliCommand} attach ${nested.sessionId}`)
    await attached.until('I am in')
    attached.type('\r')
    expect(await attached.ended()).toBe(6)
    expect(await outer.ended()).toBe(6)
  })

  it('T variables that nobody sets are still refused', async () => {
    const { shown } = await inside(`SIGNALBOX_SESION=x ${cliCommand} config check; echo "code $?"`)
    expect(shown).toContain('did you mean SIGNALBOX_SESSION')
    expect(shown).toContain('code 1')
  })
})
