import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Scenarios of MCP's own suite that do not apply to this server, and why. Every other one must pass. */
const notForUs: Readonly<Record<string, string>> = {
  'tasks-lifecycle': tasks(),
  'tasks-capability-negotiation': tasks(),
  'tasks-wire-fields': tasks(),
  'tasks-request-state-removal': tasks(),
  'tasks-mrtr-input': tasks(),
  'tasks-request-headers': tasks(),
  'tasks-dispatch-and-envelope': tasks(),
  'tasks-status-notifications': tasks(),
  'tasks-required-task-error': tasks(),
  'tasks-mrtr-composition': tasks(),
  'http-custom-header-server-validation': 'optional: no tool wants a parameter of its call in a header (x-mcp-header)',
}

function tasks(): string {
  return 'an extension (tasks): calls that last are held with progress, or answered pending and asked for again'
}

/** What each revision of the specification requires of a server, as the suite's number of scenarios. */
const revisions = [
  { name: '2025-03-26', args: ['--suite', 'all', '--spec-version', '2025-03-26'], atLeast: 1 },
  { name: '2025-06-18', args: ['--suite', 'all', '--spec-version', '2025-06-18'], atLeast: 26 },
  { name: '2025-11-25', args: ['--suite', 'all', '--spec-version', '2025-11-25'], atLeast: 33 },
  { name: '2026-07-28', args: ['--requirements', '2026-07-28'], atLeast: 39 },
] as const

const root = dirname(dirname(import.meta.dirname))
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

let fixtures: ChildProcess
let place: { url: string; closed: string }

beforeAll(async () => {
  fixtures = spawn(process.execPath, [join(root, 'test/support/mcp-fixtures.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  if (!fixtures.stdout) throw new Error('the fixtures have no output')
  const [line] = (await once(createInterface(fixtures.stdout), 'line')) as [string]
  place = JSON.parse(line) as typeof place
})

afterAll(async () => {
  const ended = once(fixtures, 'exit')
  fixtures.stdin?.end()
  await ended
})

describe('the MCP conformance suite', () => {
  it.each(revisions)('passes for $name, except for what does not apply to this server', async ({ args, atLeast }) => {
    const run = spawn(process.execPath, [suite, 'server', '--url', place.url, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = await Promise.all([text(run.stdout), once(run, 'exit')])
    const results = [...said.matchAll(/^([✓✗]) ([\w-]+): \d+ passed, \d+ failed/gmu)].map(
      ([, mark, scenario = '']) => ({
        scenario,
        passed: mark === '✓',
      }),
    )
    const failed = results.filter(({ passed, scenario }) => !passed && !(scenario in notForUs))
    expect(failed, said).toEqual([])
    expect(results.filter(({ passed }) => passed).length, said).toBeGreaterThanOrEqual(atLeast)
  })

  it('is admitted by a token alone', async () => {
    const response = await fetch(place.closed, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    expect(response.status).toBe(401)
  })
})
