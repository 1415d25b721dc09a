import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { socketPath } from '../lib/socket-path.ts'
import type { HeavyParts } from './context.ts'
import { plain, type Output } from './output.ts'
import { execute } from './run.ts'

type Reply = { status?: number; body?: unknown; raw?: (response: ServerResponse) => void }
type Seen = { method: string; path: string; body: string; headers: IncomingMessage['headers'] }

const now = Date.parse('2026-06-15T12:00:00.000Z')
const ask = {
  id: '0199c2d4-1111-7000-8000-000000000001',
  sessionId: null,
  title: 'Run \u001b[2Jit',
  kind: 'command',
  origin: 'api',
  riskLevel: 'high',
  claimedRisk: 'low',
  judgedRisk: 'high',
  riskReasons: ['deletes files recursively'],
  status: 'open',
  subject: { kind: 'command', command: 'rm -rf build', cwd: '/w' },
  needed: 1,
  votes: [],
  answer: null,
  answeredBy: null,
  answeredAt: null,
  approvedBy: null,
  retractedAt: null,
  createdAt: '2026-06-15T11:59:00.000Z',
  expiresAt: '2026-06-15T12:59:00.000Z',
  description: null,
  reason: null,
  agentGroupId: null,
  requestedBy: null,
  circle: null,
  subjectHash: null,
}

let home = ''
let server: Server | undefined
let seen: Seen[] = []

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))
  seen = []
})
afterEach(async () => {
  const closing = server
  server = undefined
  if (closing) {
    closing.closeAllConnections()
    await new Promise((resolve) => void closing.close(resolve))
  }
  rmSync(home, { recursive: true, force: true })
})

/** A fake server that answers by `METHOD /path`. */
async function serve(replies: Record<string, Reply>): Promise<void> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    seen.push({ method: request.method ?? '', path, body: Buffer.concat(chunks).toString(), headers: request.headers })
    const reply = replies[`${request.method} ${path.split('?')[0]}`]
    if (reply?.raw) return reply.raw(response)
    response.writeHead(reply ? (reply.status ?? 200) : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply?.body ?? { error: { code: 'not_found', message: 'There is nothing here.' } }))
  }
  server = createServer((request, response) => void answer(request, response))
  const path = socketPath(home, 'signalbox')
  mkdirSync(dirname(path), { recursive: true })
  await new Promise<void>((resolve) => void server?.listen(path, resolve))
}

async function run(
  argv: string[],
  {
    stop = new AbortController(),
    onWrite = () => {},
    serving = async () => 0,
  }: { stop?: AbortController; onWrite?: () => void; serving?: HeavyParts['serve'] } = {},
) {
  let out = ''
  let err = ''
  const output: Output = {
    print: (text) => void (out += `${text}\n`),
    async write(text) {
      out += text
      onWrite()
    },
    note: (text) => void (err += `${text}\n`),
    json: (value) => void (out += `${JSON.stringify(value)}\n`),
    width: 100,
    paint: plain,
  }
  const parts = { version: '1.2.3', serve: serving, maintenance: () => Promise.reject(new Error('not here')) }
  const world = {
    parts,
    out: output,
    env: { SIGNALBOX_HOME: home },
    now: () => now,
    interrupted: () => stop.signal,
  }
  const code = await execute(argv, world)
  return { code, out, err }
}

describe('the command line against a server', () => {
  it('says that none is running, and exits with 3', async () => {
    expect(await run(['status'])).toEqual({
      code: 3,
      out: '',
      err: `signalbox: No Signalbox is running for ${home}.\n  Start it with: signalbox serve\n`,
    })
    const { code, err } = await run(['status', '--json'])
    expect([code, JSON.parse(err)]).toEqual([3, { error: expect.objectContaining({ code: 'no_server' }) }])
  })

  it('lists asks as a table, and as the API gave them', async () => {
    const page = { asks: [ask], next: null }
    await serve({ 'GET /api/asks': { body: page } })
    const { out } = await run(['asks'])
    expect(out.split('\n').slice(0, 2)).toEqual([
      'ID        KIND     WHAT           ASKED BY  RISK  AGE     EXPIRES',
      '0199c2d4  command  Run \\x1b[2Jit  api       high  1m ago  in 59m',
    ])
    expect(seen[0]?.path).toBe('/api/asks?status=open')
    expect(JSON.parse((await run(['asks', '--json'])).out)).toEqual(page)
  })

  it('accepts the beginning of an id', async () => {
    await serve({
      'GET /api/asks': { body: { asks: [ask], next: null } },
      [`POST /api/asks/${ask.id}/answer`]: { body: { ...ask, status: 'answered' } },
    })
    expect(await run(['answer', '0199', 'reject', 'too', 'risky'])).toMatchObject({ code: 0, err: '' })
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toEqual({ outcome: 'reject', reason: 'too risky' })
  })

  it('says who answered first, and exits with 6', async () => {
    const answered = {
      ...ask,
      status: 'answered',
      answer: { outcome: 'reject', reason: null },
      answeredBy: 'user:u-1',
      answeredAt: '2026-06-15T11:59:30.000Z',
    }
    await serve({
      [`POST /api/asks/${ask.id}/answer`]: {
        status: 409,
        body: { error: { code: 'already_answered', message: 'Late.' } },
      },
      [`GET /api/asks/${ask.id}`]: { body: answered },
      'GET /api/users': { body: { users: [{ id: 'u-1', displayName: 'Ann' }] } },
    })
    const { code, err } = await run(['answer', ask.id, 'approve'])
    expect(code).toBe(6)
    expect(err).toContain('Ann answered this ask 30s ago with reject; your answer was not used.')
  })

  it('prints a token for programs, first', async () => {
    const token = { id: 't', name: 'ci', scope: 'read', expiresAt: null, token: 'secret' }
    await serve({ 'POST /api/tokens': { status: 201, body: token } })
    const { out } = await run(['tokens', 'create', '--name', 'ci', '--scope', 'read', '--expires', '90d', '--json'])
    expect(out).toMatch(/^\{"token":"secret",/)
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({
      name: 'ci',
      scope: 'read',
      expiresAt: '2026-09-13T12:00:00.000Z',
    })
  })

  it('sends a token, and exits with 4 if it is refused', async () => {
    await serve({
      'GET /api/status': {
        status: 401,
        body: { error: { code: 'token_not_valid', message: 'No.', hint: 'Make one.' } },
      },
    })
    expect(await run(['status', '--token', 'sbx'])).toEqual({ code: 4, out: '', err: 'signalbox: No.\n  Make one.\n' })
    expect(seen[0]?.headers.authorization).toBe('Bearer sbx')
  })

  it('follows events from a cursor until Ctrl-C', async () => {
    const data = JSON.stringify({ cursor: 'a.2', type: 'user.created', data: {} })
    await serve({
      'GET /api/events': {
        raw(response) {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write(`: hi\n\nid: a.2\nevent: user.created\ndata: ${data}\n\n`)
        },
      },
    })
    const stop = new AbortController()
    const argv = ['events', '--follow', '--json', '--type', 'user.*', '--after', 'a.1']
    expect(await run(argv, { stop, onWrite: () => stop.abort() })).toEqual({ code: 130, out: `${data}\n`, err: '' })
    expect(seen.map(({ path, headers }) => [path, headers['last-event-id']])).toEqual([
      ['/api/events?type=user.*', 'a.1'],
    ])
  })

  it('streams the export', async () => {
    await serve({
      'GET /api/audit/export': { raw: (response) => void response.writeHead(200).end('{"a":1}\n{"a":2}\n') },
    })
    expect((await run(['audit', 'export', '--since', '1d'])).out).toBe('{"a":1}\n{"a":2}\n')
    const file = join(home, 'log.ndjson')
    expect((await run(['audit', 'export', '--output', file])).out).toBe(`2 events written to ${file}.\n`)
    expect((await run(['audit', 'export', '--output', file])).code).toBe(6)
  })

  it('checks what it can without a server', async () => {
    const { out } = await run(['doctor', '--json'])
    const checks: { name: string; status: string }[] = JSON.parse(out)
    expect(checks.find(({ name }) => name === 'data directory')).toMatchObject({ status: 'ok' })
    expect(checks.find(({ name }) => name === 'server')).toMatchObject({ status: 'warn' })
  })

  it('reports a misspelt word after help', async () => {
    const { code, err } = await run(['help', 'queue', 'drp'])
    expect([code, err]).toEqual([2, expect.stringMatching(/"queue drp"[^]*Did you mean signalbox queue drop\?/)])
    expect((await run(['help', 'blorp'])).code).toBe(2)
  })

  it('says how to run a program if a word is not an alias, with and without a server', async () => {
    const hint = 'terminal: signalbox run -- ls'
    const alone = 'terminal, without a server: signalbox run -- ls'
    expect(await run(['run', 'ls'])).toMatchObject({ code: 3, err: expect.stringContaining(alone) })
    await serve({ 'GET /api/commands': { body: { commands: [] } } })
    expect(await run(['run', 'ls'])).toMatchObject({ code: 5, err: expect.stringContaining(hint) })
  })

  it('names terminals by what runs there, in sessions and asks, and shows their screen with the question', async () => {
    const sessionId = '583230b7-0000-4000-8000-000000000001'
    const session = {
      id: sessionId,
      status: 'active',
      protocolMode: 'terminal',
      agent: null,
      prompt: null,
      activity: null,
    }
    const listed = { ...session, title: 'deploy', workspaceRoot: '/w', updatedAt: ask.createdAt, lastActivityAt: null }
    const subject = { kind: 'terminal_prompt', promptText: 'Password:', secret: true, suggestedInputs: [] }
    const prompt = { ...ask, kind: 'terminal_prompt', title: 'Password:', sessionId, subject }
    const terminal = { name: 'deploy', sessionType: 'script', command: ['./go'], host: null, user: null, logFile: '' }
    await serve({
      'GET /api/sessions': { body: { sessions: [listed], next: null, total: 1 } },
      'GET /api/asks': { body: { asks: [prompt], next: null } },
      [`GET /api/asks/${ask.id}`]: { body: prompt },
      [`GET /api/terminals/${sessionId}`]: { body: terminal },
      [`GET /api/terminals/${sessionId}/screen`]: { body: { screen: 'on web1\nPassword:\n\n', offset: 0 } },
    })
    expect((await run(['sessions'])).out).toMatch(/583230b7 +active +terminal +deploy +/)
    expect((await run(['asks'])).out).toContain('deploy (terminal 583230b7)')
    const { out } = await run(['asks', 'show', ask.id])
    expect(out).toMatch(/Program +deploy: \.\/go\n/)
    expect(out).toContain('│ on web1\n│ Password:\n')
    expect(out).toContain('signalbox terminals answer 583230b7 --secret')
    expect(out).not.toContain('reply')
  })

  it('prints only the lines that the caller can use to answer an ask', async () => {
    const command = { ...ask, kind: 'command', subject: { kind: 'command', command: 'make', cwd: '/w' } }
    const item = { kind: 'ask', ask: command, mine: true, mayApprove: true }
    await serve({
      [`GET /api/asks/${ask.id}`]: { body: command },
      'GET /api/inbox': { body: { items: [item], total: 1 } },
    })
    const shown = async (rights: { mine: boolean; mayApprove: boolean }) => {
      Object.assign(item, rights)
      return (await run(['asks', 'show', ask.id])).out
    }
    expect(await shown({ mine: true, mayApprove: true })).toContain(`answer ${ask.id} approve`)
    const rejects = await shown({ mine: true, mayApprove: false })
    expect(rejects).toMatch(/answer \S+ reject\n/)
    expect(rejects).not.toMatch(/answer \S+ approve|--reason/)
    const looks = await shown({ mine: false, mayApprove: false })
    expect(looks).toContain('You can view this ask, but not answer it.')
    expect(looks).not.toContain(`answer ${ask.id}`)
  })

  it('shows the choice and the reason of an answered ask', async () => {
    const options = [{ optionId: 'no', name: 'Better not', kind: 'reject_once' }]
    const subject = { kind: 'permission', toolCall: { title: 'Write' }, options }
    const answer = { outcome: 'select', optionId: 'no', reason: 'too risky' }
    const answered = { ...ask, kind: 'permission', status: 'answered', subject, answer, answeredBy: 'user:u-1' }
    await serve({ [`GET /api/asks/${ask.id}`]: { body: answered }, 'GET /api/users': { body: { users: [] } } })
    expect((await run(['asks', 'show', ask.id])).out).toMatch(/Answer +Rejected \(Better not\): too risky\n/)
  })

  it('says plainly that a command can’t be undone', async () => {
    const answered = { ...ask, status: 'answered', answer: { outcome: 'approve' }, undoneAt: null }
    await serve({
      [`POST /api/asks/${ask.id}/undo`]: { status: 409, body: { error: { code: 'nothing_to_undo', message: 'No.' } } },
      [`GET /api/asks/${ask.id}`]: { body: answered },
    })
    const { code, err } = await run(['undo', ask.id])
    expect([code, err]).toEqual([6, expect.stringContaining("A command can't be undone")])
  })

  it('points from the log of a terminal to its recording', async () => {
    const id = '583230b7-0000-4000-8000-000000000001'
    await serve({
      [`GET /api/sessions/${id}/messages`]: { body: [] },
      [`GET /api/sessions/${id}`]: { body: { id, protocolMode: 'terminal' } },
    })
    expect((await run(['logs', id])).out).toContain('signalbox terminals replay 583230b7')
  })

  it('prints the address of the running server', async () => {
    await serve({ 'GET /api/status': { body: { address: 'http://127.0.0.1:3000' } } })
    const refused = async (_loaded: unknown, io: { print(text: string): void }) => {
      io.print('It runs already. See it with: signalbox status')
      return 1
    }
    expect(await run(['serve'], { serving: refused })).toMatchObject({
      code: 1,
      out: expect.stringMatching(/runs already[^]*Address: http:\/\/127\.0\.0\.1:3000\n$/),
    })
  })

  it('prints its version', async () => {
    expect((await run(['--version'])).out).toBe('signalbox 1.2.3\n')
    expect((await run(['help', 'asks', 'show'])).out).toContain('signalbox asks show: ')
  })
})
