import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, freshHome, startServer, type Server } from '../support/server.ts'
import { scale } from '../support/scale.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
type Ran = { code: number | null; stdout: string; stderr: string }
type Fed = string | Buffer | { first: string; never: true }

function hook(fed: Fed, env: Record<string, string>, args = ['--strict']): Promise<Ran> {
  const child = spawn(process.execPath, [program, 'hook', 'permission', ...args], { env: cleanEnv(env), stdio: 'pipe' })
  const told = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (told.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (told.stderr += String(chunk)))
  child.stdin.on('error', () => {})
  if (typeof fed === 'object' && 'never' in fed) child.stdin.write(fed.first)
  else child.stdin.end(fed)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...told }))
  })
}

/** How Claude Code reads it: only a denial in its own format, or exit code 2, stops the tool. */
function isDenied({ code, stdout }: Ran): boolean {
  if (code === 2) return true
  if (code !== 0 || stdout === '') return false
  const said = JSON.parse(stdout)['hookSpecificOutput']
  return said?.permissionDecision === 'deny' || said?.decision?.behavior === 'deny'
}

const event = (more: object = {}) => ({
  session_id: randomUUID(),
  cwd: '/tmp',
  hook_event_name: 'PreToolUse',
  tool_use_id: 't1',
  tool_name: 'Bash',
  tool_input: { command: 'rm -rf build' },
  ...more,
})
const without = (key: string) => JSON.stringify({ ...event(), [key]: undefined })
const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`

describe('signalbox hook permission --strict', () => {
  let server: Server
  let empty: string
  beforeAll(async () => {
    server = await startServer({})
    empty = await freshHome()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await rm(empty, { recursive: true, force: true })
  })

  const cases: [string, Fed][] = [
    ['nothing', ''],
    ['white space', ' \n'],
    ['no JSON', 'hello'],
    ['half of the JSON', JSON.stringify(event()).slice(0, 60)],
    ['a BOM', `\uFEFF${JSON.stringify(event())}`],
    ['UTF-16', Buffer.from(JSON.stringify(event()), 'utf16le')],
    ['a NUL', `${JSON.stringify(event())}\0`],
    ['a NUL in the directory', JSON.stringify(event({ cwd: '/tmp\0/x' }))],
    ['null', 'null'],
    ['a number', '1'],
    ['a list', '[]'],
    ['an empty object', '{}'],
    ['a session id that is not a UUID', JSON.stringify(event({ session_id: 'abc' }))],
    ['a session id of another type', JSON.stringify(event({ session_id: 7 }))],
    ['no session id', without('session_id')],
    ['no directory', without('cwd')],
    ['no tool', without('tool_name')],
    ['an empty tool', JSON.stringify(event({ tool_name: '' }))],
    ['a tool of another type', JSON.stringify(event({ tool_name: ['Bash'] }))],
    ['no event name', without('hook_event_name')],
    ['another event', JSON.stringify(event({ hook_event_name: 'Stop' }))],
    ['two events', `${JSON.stringify(event())}\n${JSON.stringify(event())}`],
    ['more than 16 MiB', JSON.stringify(event({ tool_input: { command: 'x'.repeat(17 * 1024 * 1024) } }))],
    ['deep nesting', JSON.stringify(event()).replace('"rm -rf build"', deep)],
    [
      'a request without an id',
      JSON.stringify({ ...event({ hook_event_name: 'PermissionRequest' }), session_id: undefined }),
    ],
  ]

  it.each(cases)('S7 B15 denies %s, and says why', async (_what, fed) => {
    const ran = await hook(fed, { SIGNALBOX_HOME: server.home })
    expect([isDenied(ran), ran.stderr === '']).toEqual([true, false])
  })

  it('S7 B15 denies an event that never ends', async () => {
    const ran = await hook(
      { first: JSON.stringify(event()).slice(0, 80), never: true },
      { SIGNALBOX_HOME: server.home },
    )
    expect(isDenied(ran)).toBe(true)
  })

  it('S7 B15 denies in the format of the event, if that is known', async () => {
    const before = await hook(JSON.stringify(event({ session_id: 'abc' })), { SIGNALBOX_HOME: server.home })
    expect(JSON.parse(before.stdout)).toMatchObject({
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('--strict'),
      },
    })
    const asked = event({ session_id: 'abc', hook_event_name: 'PermissionRequest' })
    const request = await hook(JSON.stringify(asked), { SIGNALBOX_HOME: server.home })
    expect(JSON.parse(request.stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny' } },
    })
  })

  it('S7 B15 denies if no server is running, or if settings can’t be read', async () => {
    expect(isDenied(await hook(JSON.stringify(event()), { SIGNALBOX_HOME: empty }))).toBe(true)
    const broken = { SIGNALBOX_HOME: server.home, SIGNALBOX_CONFIG: '/nowhere/config.toml' }
    expect(isDenied(await hook(JSON.stringify(event()), broken))).toBe(true)
    expect(isDenied(await hook(JSON.stringify(event()), { SIGNALBOX_URL: 'nonsense' }))).toBe(true)
  })

  const rubbish: [string, number, string, string][] = [
    ['nothing', 200, 'application/json', ''],
    ['no JSON', 200, 'application/json', 'yes'],
    ['a page', 200, 'text/html', '<h1>ok</h1>'],
    ['an empty object', 200, 'application/json', '{}'],
    ['null', 201, 'application/json', 'null'],
    ['a list', 201, 'application/json', '[]'],
    ['an ask without fields', 201, 'application/json', '{"id":"x","status":"answered"}'],
    ['an invalid answer', 201, 'application/json', '{"id":"x","status":"answered","answer":{}}'],
    ['an error', 500, 'application/json', '{}'],
    ['that it is unknown', 404, 'application/json', '{"error":{"code":"session_not_found","message":"no"}}'],
    ['with a redirect', 302, 'text/plain', ''],
  ]
  it.each(rubbish)('S7 B15 denies if the server answers %s', async (_what, status, type, body) => {
    await using other = await listen((_request, response) => {
      response.writeHead(status, { 'content-type': type, location: '/' }).end(body)
    })
    expect(isDenied(await hook(JSON.stringify(event()), { SIGNALBOX_URL: other.url, SIGNALBOX_TOKEN: 'x' }))).toBe(true)
  })

  it('S7 B15 denies if the connection breaks', async () => {
    await using other = await listen((request) => void request.socket.destroy())
    expect(isDenied(await hook(JSON.stringify(event()), { SIGNALBOX_URL: other.url, SIGNALBOX_TOKEN: 'x' }))).toBe(true)
  })

  it('B15 without --strict it decides nothing', async () => {
    for (const fed of ['', 'hello', '{}', without('cwd')]) {
      const ran = await hook(fed, { SIGNALBOX_HOME: server.home }, [])
      expect([ran.code, ran.stdout]).toEqual([0, ''])
    }
  })

  it('S7 B15 denies every mutated event (seeded)', async () => {
    let seed = 20_261_116
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    const folder = await mkdtemp(join(tmpdir(), 'sbs-'))
    const values = [null, 0, -1, true, '', 'x', [], {}, '\u0000', { a: { b: [] } }, 'a'.repeat(5000)]
    const mutate = (): string | Buffer => {
      const one = event() as Record<string, unknown>
      const keys = Object.keys(one)
      for (let count = random(3) + 1; count > 0; count -= 1) {
        const key = keys[random(keys.length)] ?? 'cwd'
        if (random(3) === 0) delete one[key]
        else one[key] = values[random(values.length)]
      }
      const bytes = Buffer.from(JSON.stringify(one))
      if (random(2) === 0) for (let count = random(4); count > 0; count -= 1) bytes[random(bytes.length)] = random(256)
      return random(4) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes
    }
    const fed = Array.from({ length: scale({ test: 16, long: 200 }) }, mutate)
    // Without a server nothing may be allowed; tools that only read are not asked about.
    for (let at = 0; at < fed.length; at += 4) {
      const some = fed.slice(at, at + 4)
      const ran = await Promise.all(some.map((one) => hook(one, { SIGNALBOX_HOME: folder })))
      expect(ran.map((one, index) => [String(some[index]).slice(0, 300), isDenied(one)])).toEqual(
        ran.map((_one, index) => [String(some[index]).slice(0, 300), true]),
      )
    }
    await rm(folder, { recursive: true, force: true })
  })
})

async function listen(handle: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const http = createServer(handle)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
