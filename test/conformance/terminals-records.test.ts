import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { appendFile, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRunning, noAsks, openTerminalHarness, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { startSession } from './work.ts'

const sum = (text: string): string => createHash('sha256').update(text).digest('hex')
const seq = (last: number): string =>
  execFileSync('seq', ['1', String(last)], { maxBuffer: 100_000_000, encoding: 'utf8' }).replaceAll('\n', '\r\n')

/** A recording's header and its events. */
function castOf(text: string) {
  const [first = '', ...rest] = text.split('\n').filter(Boolean)
  const header: Record<string, unknown> = JSON.parse(first)
  const events = rest.map((line): [number, string, string] => JSON.parse(line))
  const output = events.flatMap(([, kind, data]) => (kind === 'o' ? [data] : [])).join('')
  return { header, events, output }
}

describe('recordings', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const cast = async (id: string) => castOf((await harness.owner.send('GET', `/api/terminals/${id}/cast`)).text)

  it('T5 when the server is killed the program keeps running, and none of its output is lost', async () => {
    const go = harness.at('go')
    const script = `echo $$; until [ -e ${go} ]; do sleep 0.02; done; seq 1 300000; echo done > ${harness.at('done')}; sleep 600`
    const { sessionId: id } = await harness.run(script)
    const { text } = await harness.prints(id, /^\d+\r?\n/)
    const pid = Number.parseInt(text, 10)
    await harness.crash()
    await writeFile(go, '')
    await until(() => readFile(harness.at('done'), 'utf8').catch(() => ''), { seconds: 20 })
    expect(isRunning(pid)).toBe(true)
    await harness.restart()
    expect(await harness.get(id)).toMatchObject({ state: 'active', status: 'active' })
    const whole = `${pid}\r\n${seq(300_000)}`
    await until(async () => (await harness.get(id)).filePosition === whole.length, { seconds: 20 })
    await until(async () => (await cast(id)).output.length === whole.length)
    expect(sum((await cast(id)).output)).toBe(sum(whole))
    expect(isRunning(pid)).toBe(true)
  })

  it('T5 killed repeatedly while it prints, every byte is recorded once', async () => {
    const { sessionId: id } = await harness.run('for n in 1 2 3 4 5 6 7 8; do seq 1 40000; sleep 0.2; done')
    const whole = seq(40_000).repeat(8)
    for (let life = 1; life <= 3; life += 1) {
      await until(async () => (await harness.get(id)).filePosition > (life * whole.length) / 8, { seconds: 20 })
      await harness.crash()
      await harness.restart()
    }
    await harness.ended(id, 30)
    expect(sum((await cast(id)).output)).toBe(sum(whole))
    expect(await harness.get(id)).toMatchObject({ exitCode: 0, filePosition: whole.length })
  })

  it('T5 T2 a log continues where it was read to after a crash: nothing is missing or repeated', async () => {
    const path = harness.at('over-a-crash.log')
    await writeFile(path, '')
    const { sessionId: id } = await harness.follow(path)
    const line = (n: number) => `line ${n} of the log\n`
    const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => line(from + n)).join('')
    await appendFile(path, lines(0, 3000))
    await harness.prints(id, /line 2999 /)
    await appendFile(path, lines(3000, 6000))
    await harness.crash()
    await appendFile(path, lines(6000, 9000))
    await harness.restart()
    await harness.prints(id, /line 8999 /)
    expect((await cast(id)).output).toBe(lines(0, 9000))
    await harness.crash()
    await appendFile(path, 'last of the old\n')
    await rename(path, `${path}.1`)
    await writeFile(path, 'first of the new\n')
    await harness.restart()
    const { epoch, text } = await harness.prints(id, /first of the new/)
    expect(epoch).toBe(1)
    expect(text.endsWith('first of the new\n')).toBe(true)
  })

  it('T5 a server that stops normally leaves the programs running, and the next one reconnects', async () => {
    const { sessionId: id } = await harness.run('echo one; read a; echo two; exit 6')
    await harness.prints(id, /one/)
    await harness.server.kill('SIGTERM')
    await harness.restart()
    expect(await harness.get(id)).toMatchObject({ state: 'active' })
    await harness.waits(id, /\S/)
    await harness.type(id, '', { keys: ['enter'] })
    expect(await harness.ended(id)).toMatchObject({ exitCode: 6 })
    expect((await cast(id)).output).toBe('one\r\n\r\ntwo\r\n')
  })

  it('T11 the recording is asciicast v2, in the data directory, readable only by the owner', async () => {
    const { sessionId: id, logFile } = await harness.run('echo one; sleep 0.1; printf "\\033[32mtwö\\033[0m\\n"', {
      cols: 90,
      rows: 30,
      name: 'a title',
    })
    await harness.ended(id)
    expect(logFile.startsWith(join(harness.server.home, 'terminals'))).toBe(true)
    for (const path of [join(harness.server.home, 'terminals'), logFile])
      expect([path, (await stat(path)).mode & 0o777]).toEqual([path, 0o700])
    const files = await readdir(logFile)
    expect(files.length).toBeGreaterThan(0)
    for (const name of files) expect([name, (await stat(join(logFile, name))).mode & 0o777]).toEqual([name, 0o600])
    const reply = await harness.owner.send('GET', `/api/terminals/${id}/cast`)
    expect(reply.headers['content-type']).toMatch(/asciicast/)
    const { header, events, output } = castOf(reply.text)
    expect(header).toMatchObject({ version: 2, width: 90, height: 30, timestamp: expect.any(Number) })
    expect(output).toBe('one\r\n\u001B[32mtwö\u001B[0m\r\n')
    const times = events.map(([time]) => time)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(times.at(-1)).toBeGreaterThan(0.05)
    expect(times.at(-1)).toBeLessThan(10)
    // Each of its files can be played alone.
    for (const name of files.filter((one) => one.endsWith('.cast')))
      expect(castOf(await readFile(join(logFile, name), 'utf8')).header).toMatchObject({ version: 2 })
  })

  it('T11 over REST and at the command line it also comes as asciicast v3, whose times count from the event before', async () => {
    const { sessionId: id } = await harness.run('echo one; sleep 0.2; echo two; sleep 0.2; echo three', {
      cols: 90,
      rows: 30,
      name: 'a title',
    })
    await harness.ended(id)
    const older = await cast(id)
    const reply = await harness.owner.send('GET', `/api/terminals/${id}/cast?version=3`)
    const { header, events, output } = castOf(reply.text)
    expect(header).toEqual({
      version: 3,
      term: { cols: 90, rows: 30 },
      timestamp: older.header['timestamp'],
      title: 'a title',
    })
    expect(output).toBe(older.output)
    let at = 0
    const times = events.map(([interval]) => (at += interval))
    expect(times).toHaveLength(older.events.length)
    for (const [index, [time]] of older.events.entries()) expect(times[index]).toBeCloseTo(time, 5)
    const file = harness.at('three.cast')
    await harness.server.cli('terminals', 'cast', id, '--asciicast', '3', '--output', file)
    expect(await readFile(file, 'utf8')).toBe(reply.text)
    const unknown = await harness.owner.send('GET', `/api/terminals/${id}/cast?version=4`)
    expect(unknown.status).toBe(400)
  })

  it('T11 a resize is recorded', async () => {
    const { sessionId: id } = await harness.run('trap "stty size" WINCH; echo ready; while :; do sleep 0.02; done')
    await harness.prints(id, /ready/)
    await harness.owner.post(`/api/terminals/${id}/resize`, { cols: 100, rows: 33 })
    await harness.prints(id, /33 100/)
    const { events } = await cast(id)
    expect(events).toContainEqual([expect.any(Number), 'r', '100x33'])
    expect(await harness.owner.get(`/api/terminals/${id}/screen`)).toMatchObject({ cols: 100, rows: 33 })
    await harness.owner.post(`/api/terminals/${id}/end`)
  })

  it('T6 T11 keys and tokens in the output are masked before they are written', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const { sessionId: id } = await harness.run(`echo "token is ${token}."; echo canary`)
    await harness.ended(id)
    const { output } = await cast(id)
    expect(output).toContain('canary')
    expect(output).not.toContain(token)
    expect(output).toContain('token is ')
    expect((await harness.search({ q: token })).matches).toEqual([])
  })

  it('T11 search over all terminals by text, expression and time, newest first, with the lines around', async () => {
    const one = await harness.run('for n in 1 2 3 4 5 6 7; do echo "harbour $n"; done')
    await harness.ended(one.sessionId)
    const two = await harness.run('printf "\\033[31mHar\\033[0mbour 8\\n"; read a')
    await harness.prints(two.sessionId, /bour 8/)
    const { matches } = await harness.search({ q: 'harbour' })
    expect(matches.map(({ line }) => line)).toEqual([8, 7, 6, 5, 4, 3, 2, 1].map((n) => expect.stringMatching(`${n}$`)))
    expect(new Set(matches.map(({ sessionId }) => sessionId))).toEqual(new Set([one.sessionId, two.sessionId]))
    const [four] = (await harness.search({ q: 'harbour 4', contextLines: 2 })).matches
    expect(four).toMatchObject({
      sessionId: one.sessionId,
      line: 'harbour 4',
      before: ['harbour 2', 'harbour 3'],
      after: ['harbour 5', 'harbour 6'],
    })
    expect(Math.abs(Date.parse(four?.at ?? '') - Date.now())).toBeLessThan(60_000)
    const read = await harness.updates(one.sessionId, { cursor: `0:${four?.offset}`, maxLines: 1 })
    expect(read.text).toBe('harbour 4\r\n'.replace('\r', read.text.includes('\r') ? '\r' : ''))
    const some = await harness.search({ q: '^harbour [5-7]$', regex: true, maxResults: 2, sessionId: one.sessionId })
    expect(some.matches.map(({ line }) => line)).toEqual(['harbour 7', 'harbour 6'])
    expect((await harness.search({ q: 'harbour', since: '2100-01-01T00:00:00Z' })).matches).toEqual([])
    expect((await harness.search({ q: 'harbour', until: '2001-01-01T00:00:00Z' })).matches).toEqual([])
    expect((await harness.search({ q: 'harbuor' })).didYouMean).toContain('harbour')
    const refused = await harness.owner.refused('GET', `/api/terminals/search?q=${encodeURIComponent('(')}&regex=true`)
    expect(refused).toMatchObject({ status: 400, code: 'invalid_regex' })
  })

  it('T11 live: a reader gets past and new output, from any offset', async () => {
    const { sessionId: id } = await harness.run('echo before; read a; echo after')
    await harness.prints(id, /before/)
    await harness.waits(id, /\S/)
    const live = harness.owner.send('GET', `/api/terminals/${id}/live?from=3`)
    await harness.type(id, '', { keys: ['enter'] })
    expect((await live).text).toBe('ore\r\n\r\nafter\r\n')
  })

  it.each(['recording_days', 'history_days'])('T11 %s is 1 to 365', async (key) => {
    for (const days of ['0', '366', '1.5', '"x"']) {
      await writeFile(harness.at('config.toml'), `[terminal]\n${key} = ${days}\n`)
      const { code, stdout, stderr } = await harness.server.cli(
        'config',
        'check',
        '--config',
        harness.at('config.toml'),
      )
      expect([days, code]).not.toEqual([days, 0])
      expect(`${stdout}${stderr}`).toContain(`terminal.${key}`)
    }
  })
})

type CaughtUp = {
  events: { at: string; sessionId: string | null; severity: string; kind: string; text: string; times: number }[]
  summary: string
  cursor: string
  omitted: Record<string, number>
}

describe('catching up', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness({ config: noAsks })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())
  const catchUp = (query: Record<string, string> = {}) =>
    harness.owner.get<CaughtUp>(`/api/catch-up?${new URLSearchParams(query).toString()}`)

  it('B9 T11 reports terminals and agents since a cursor: prompts, errors and ends, nothing twice', async () => {
    const start = await catchUp()
    const session = await startSession(harness.owner)
    await harness.owner.post(`/api/sessions/${session.id}/messages`, {
      role: 'agent',
      content: { type: 'text', text: 'the agent said this' },
    })
    const failed = await harness.run('echo working; echo "error: the disk is full"; exit 3')
    await harness.ended(failed.sessionId)
    const waiting = await harness.run('printf "Go on with 42? [y/n] "; read a; sleep 600')
    await harness.waits(waiting.sessionId, /Go on/)
    const told = await until(async () => {
      const now = await catchUp({ since: start.cursor, tokenBudget: '4000' })
      return now.events.some(({ text }) => text.includes('Go on with 42')) ? now : null
    })
    const texts = told.events.map(({ text }) => text).join('\n')
    expect(texts).toContain('the agent said this')
    expect(texts).toContain('the disk is full')
    const ofFailed = told.events.filter(({ sessionId }) => sessionId === failed.sessionId)
    expect(ofFailed.some(({ severity }) => severity === 'high' || severity === 'critical')).toBe(true)
    expect(told.summary).toMatch(/\w/)
    const at = told.events.map((event) => event.at)
    expect(at).toEqual(at.toSorted())
    const next = await catchUp({ since: told.cursor })
    expect(next.events.filter(({ text }) => texts.includes(text))).toEqual([])
    await harness.answer(waiting.sessionId, /Go on/, 'y')
    await harness.owner.post(`/api/terminals/${waiting.sessionId}/end`)
    await harness.ended(waiting.sessionId)
    const last = await until(async () => {
      const now = await catchUp({ since: told.cursor })
      return now.events.length > 0 ? now : null
    })
    expect(last.events.every(({ sessionId }) => sessionId === waiting.sessionId)).toBe(true)
    // The same cursor reports the same again.
    const again = await catchUp({ since: start.cursor, tokenBudget: '8000' })
    expect(again.events.map(({ text }) => text)).toContain('agent: the agent said this')
  })

  it('B9 T11 output has the time it was printed: before the end of the terminal, and before the request', async () => {
    const start = await catchUp()
    const { sessionId: id } = await harness.run('echo "error: no rule"; read a; echo over-now')
    await harness.prints(id, /no rule/)
    const printedBy = new Date().toISOString()
    await harness.type(id, '', { keys: ['enter'] })
    await harness.ended(id)
    const query = { since: start.cursor, sessionId: id, tokenBudget: '4000' }
    const told = await until(async () => {
      const { events } = await catchUp(query)
      return events.some(({ text }) => text.startsWith('Session completed')) ? events : null
    })
    const texts = told.map(({ text }) => text)
    const [error, end] = ['error: no rule', 'The terminal ended: exit code 0'].map((text) => texts.indexOf(text))
    expect(error).toBeGreaterThanOrEqual(0)
    expect(end).toBeGreaterThan(error ?? 0)
    expect(told[error ?? 0]?.at.localeCompare(printedBy)).toBeLessThan(1)
    expect(texts.indexOf('over-now')).toBeLessThan(end ?? 0)
  })

  it('B9 never more than the budget; repetitions are folded, and omissions are counted', async () => {
    const path = harness.at('noisy.log')
    await writeFile(path, '')
    const start = await catchUp()
    const { sessionId: id } = await harness.follow(path)
    const lines = Array.from({ length: 500 }, (_, n) => `warning: slow answer ${n} of ${'x'.repeat(n % 60)}\n`)
    await appendFile(path, lines.join(''))
    await appendFile(path, 'error: same again\n'.repeat(200))
    await appendFile(path, '\nFATAL: it broke\n')
    await harness.prints(id, /it broke/)
    for (const tokenBudget of [150, 500, 2000]) {
      const told = await catchUp({ since: start.cursor, sessionId: id, tokenBudget: String(tokenBudget) })
      expect(Buffer.byteLength(JSON.stringify(told))).toBeLessThanOrEqual(tokenBudget * 4)
      expect(told.events.map(({ text }) => text).join('\n')).toContain('it broke')
      expect(told.events.filter(({ text }) => text.includes('same again')).length).toBeLessThanOrEqual(1)
    }
    const little = await catchUp({ since: start.cursor, sessionId: id, tokenBudget: '150' })
    expect(Object.values(little.omitted).reduce((total, count) => total + count, 0)).toBeGreaterThan(0)
    const high = await catchUp({ since: start.cursor, sessionId: id, minSeverity: 'high', tokenBudget: '4000' })
    expect(high.events.every(({ severity }) => severity === 'high' || severity === 'critical')).toBe(true)
    expect(high.events.find(({ text }) => text.includes('same again'))?.times).toBeGreaterThan(1)
  })
})
