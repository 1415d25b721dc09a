import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, type TerminalAsk, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { openRunHarness } from './terminals-run-harness.ts'
import { openAsk, startSession } from './work.ts'

const atOnce = '[terminal]\nask_after_seconds = 0\n'
const reply = (value: string) => ({ outcome: 'reply', value })
const asking = (to: string) => `printf "Go on with it? [y/n] "; read a; echo "got $a" | tee ${to}; sleep 600`

describe('terminal prompts as asks', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness({ config: atOnce })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const becomes = (id: string, status: string): Promise<TerminalAsk> =>
    until(
      async () => {
        const ask = await harness.owner.get<TerminalAsk>(`/api/asks/${id}`)
        return ask.status === status ? ask : null
      },
      { what: `an ask that is ${status}` },
    )
  const answer = (ask: { id: string }, body: Record<string, unknown>) =>
    harness.owner.post<TerminalAsk>(`/api/asks/${ask.id}/answer`, body)

  it('T10 an answer that can’t be typed is refused, and the ask stays open', async () => {
    const { sessionId: id } = await harness.run(asking(harness.at('refused')))
    const ask = await harness.openAsk(id)
    for (const value of ['a\nb', '\u0003', 'x'.repeat(5000)])
      expect(await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply(value))).toMatchObject({
        status: 400,
        code: 'answer_does_not_fit',
      })
    expect((await harness.openAsk(id)).id).toBe(ask.id)
    await answer(ask, reply('y'))
    expect(await until(() => readFile(harness.at('refused'), 'utf8').catch(() => ''))).toBe('got y\n')
  })

  it('T10 B1 a prompt is in the inbox next to agents’ asks, with the whole question and possible answers', async () => {
    const session = await startSession(harness.owner)
    const other = await openAsk(harness.owner, session)
    const { sessionId: id } = await harness.run(asking(harness.at('inbox')))
    const ask = await harness.openAsk(id)
    expect(ask).toMatchObject({
      sessionId: id,
      kind: 'terminal_prompt',
      origin: 'terminal',
      status: 'open',
      riskLevel: 'low',
      title: 'Go on with it? [y/n]',
      subject: { promptType: 'yes_no', dangerous: false, secret: false, suggestedInputs: ['y', 'n'] },
    })
    expect(ask.subject['promptText']).toContain('Go on with it? [y/n]')
    const { asks } = await harness.owner.get<{ asks: TerminalAsk[] }>('/api/asks?status=open')
    const ids = asks.map((one) => one.id)
    expect(ids).toEqual(expect.arrayContaining([ask.id, other.id]))
    expect(await harness.session(id)).toMatchObject({ waiting: true })
  })

  it('T10 the answer to the ask is typed, once', async () => {
    const { sessionId: id } = await harness.run(asking(harness.at('typed')))
    const ask = await harness.openAsk(id)
    expect(await answer(ask, reply('y'))).toMatchObject({ status: 'answered' })
    await harness.prints(id, /got y/)
    expect(await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply('n'))).toMatchObject({ status: 409 })
    expect(await readFile(harness.at('typed'), 'utf8')).toBe('got y\n')
    const { ownerUserId } = await harness.get(id)
    const [event] = await until(async () => {
      const events = await harness.inputs(id)
      return events.length > 0 ? events : null
    })
    expect(event).toMatchObject({ inputText: 'y', inputSource: 'user_typed', userId: ownerUserId })
    expect(await becomes(ask.id, 'answered')).toMatchObject({ answer: { outcome: 'reply', value: 'y' } })
    expect(await harness.asks(id)).toEqual([])
  })

  it('T10 if declined, nothing is typed', async () => {
    const { sessionId: id } = await harness.run(asking(harness.at('declined')))
    const ask = await harness.openAsk(id)
    await answer(ask, { outcome: 'decline' })
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await harness.detect(id)).toMatchObject({ waiting: true })
    expect(await harness.inputs(id)).toEqual([])
  })

  it('T10 if answered elsewhere, the ask is cancelled with that reason', async () => {
    const { sessionId: id } = await harness.run(asking(harness.at('elsewhere')))
    const ask = await harness.openAsk(id)
    await harness.answer(id, /Go on/, 'n')
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ reason: expect.stringMatching(/answered|gone/) })
    expect(await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply('y'))).toMatchObject({ status: 409 })
    expect((await harness.prints(id, /got n/)).text).not.toContain('got y')
  })

  it('T10 if its program is gone, the ask is cancelled with that reason', async () => {
    const { sessionId: id } = await harness.run('printf "Go on? [y/n] "; read a')
    const ask = await harness.openAsk(id)
    await harness.owner.post(`/api/terminals/${id}/end`)
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ reason: expect.stringMatching(/ended|gone/) })
  })

  it('T10 if watching stops, the ask is cancelled', async () => {
    const { sessionId: id } = await harness.run('printf "Go on? [y/n] "; read a')
    const ask = await harness.openAsk(id)
    await harness.owner.post(`/api/terminals/${id}/stop`)
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ id: ask.id })
  })

  it('T10 a dangerous prompt has high risk, and the ask says why', async () => {
    const { sessionId: id } = await harness.run(
      'printf "Delete 3 tables? (yes/no): "; read a; echo "got $a"; sleep 600',
    )
    const ask = await harness.openAsk(id)
    expect(ask).toMatchObject({ riskLevel: 'high', subject: { dangerous: true } })
    expect(JSON.stringify(ask)).toMatch(/delet/i)
    // A person may, once they were asked again.
    const path = `/api/asks/${ask.id}/answer`
    expect(await harness.owner.refused('POST', path, reply('no'))).toMatchObject({ code: 'danger_not_confirmed' })
    await answer(ask, { ...reply('no'), confirmed: true })
    await harness.prints(id, /got no/)
  })

  it('T10 T6 a secret that answers an ask is typed and never stored', async () => {
    const secret = 'opensesame-4711'
    const { sessionId: id } = await harness.run(
      'printf "Password: "; stty -echo; read p; stty echo; echo; echo "len $(printf %s "$p" | wc -c)"; sleep 600',
    )
    const ask = await until(async () => (await harness.asks(id)).find(({ subject }) => subject['secret'] === true))
    await answer(ask, reply(secret))
    await harness.prints(id, new RegExp(`len ${secret.length}`))
    const places = [
      JSON.stringify(await harness.owner.get(`/api/asks/${ask.id}`)),
      JSON.stringify(await harness.session(id)),
      JSON.stringify(await harness.inputs(id)),
      (await harness.owner.send('GET', '/api/audit/export')).text,
      (await harness.owner.send('GET', `/api/terminals/${id}/cast`)).text,
      harness.server.log(),
      ...(await Promise.all(
        ['signalbox.db', 'signalbox.db-wal'].map((name) => readFile(`${harness.server.home}/${name}`, 'latin1')),
      )),
    ]
    for (const text of places) expect(text.includes(secret)).toBe(false)
    expect(places.at(-1)).toContain(id)
  })

  it('T10 a followed log is shown as waiting but opens no ask: it has no keyboard', async () => {
    await writeFile(harness.at('a.log'), 'Continue? [Y/n] ')
    const { sessionId: log } = await harness.follow(harness.at('a.log'), { filePosition: 0 })
    expect(await harness.waits(log, /Continue/)).toMatchObject({ promptType: 'yes_no' })
    const { sessionId: id } = await harness.run(asking(harness.at('after')))
    await harness.openAsk(id)
    expect(await harness.asks(log)).toEqual([])
    await appendFile(harness.at('a.log'), 'y\nOverwrite it? [y/N] ')
    await harness.waits(log, /Overwrite/)
    await harness.crash()
    await harness.restart()
    await harness.waits(log, /Overwrite/)
    expect(await harness.asks(log)).toEqual([])
    expect(await harness.asks(log, 'cancelled')).toEqual([])
  })

  it('T10 shell prompts open no asks', async () => {
    const shell = await harness.start({ sessionType: 'script', command: ['env', 'PS1=ready$ ', 'sh', '-i'] })
    await harness.waits(shell.sessionId, /ready/)
    const { sessionId: id } = await harness.run(asking(harness.at('later')))
    await harness.openAsk(id)
    expect(await harness.asks(shell.sessionId)).toEqual([])
  })

  it('T10 an ask survives the server, and the next one types its answer', async () => {
    const { sessionId: id } = await harness.run(asking(harness.at('outlives')))
    const ask = await harness.openAsk(id)
    await harness.crash()
    await harness.restart()
    await harness.waits(id, /Go on/)
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await harness.asks(id)).toMatchObject([{ id: ask.id, status: 'open' }])
    await answer(ask, reply('y'))
    await harness.prints(id, /got y/)
    expect(await readFile(harness.at('outlives'), 'utf8')).toBe('got y\n')
  })

  it('T10 an ask whose program ended while the server was down is cancelled by the next one', async () => {
    const { sessionId: id } = await harness.run('echo $$; printf "Go on? [y/n] "; read a')
    const ask = await harness.openAsk(id)
    const pid = Number(/\d+/.exec((await harness.prints(id, /^\d+\s/m)).text)?.[0])
    await harness.crash()
    process.kill(pid, 'SIGKILL')
    await harness.restart()
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ reason: expect.stringMatching(/\w/) })
    expect(await harness.ended(id)).toMatchObject({ exitSignal: 'SIGKILL' })
  })
})

describe('terminal prompts and the keyboard', () => {
  it('T10 answered at the keyboard in time, there is no ask; later, it is cancelled with that reason', async () => {
    await using harness = await openTerminalHarness({ config: '[terminal]\nask_after_seconds = 4\n' })
    const script =
      'printf "First? [y/n] "; read a; echo "got $a"; printf "Second? [y/n] "; read a; echo "got $a"; sleep 600'
    const { sessionId: id } = await harness.run(script)
    await using runner = await openRunHarness({ home: harness.server.home })
    const terminal = runner.openTerminal('attach', id.slice(0, 8))
    await terminal.until('First?')
    await harness.waits(id, /First/)
    terminal.type('y\r')
    await harness.prints(id, /got y/)
    const ask = await harness.openAsk(id)
    expect(ask.title).toBe('Second? [y/n]')
    expect(await harness.asks(id, 'cancelled')).toEqual([])
    terminal.type('n\r')
    const [cancelled] = await until(async () => {
      const found = await harness.asks(id, 'cancelled')
      return found.length > 0 ? found : null
    })
    expect(cancelled).toMatchObject({ id: ask.id, reason: expect.stringContaining('keyboard') })
    await until(async () => (await harness.inputs(id)).length >= 2).catch(() => {})
    const inputs = await harness.inputs(id)
    expect(inputs.map(({ inputText, inputSource }) => [inputText, inputSource])).toEqual([
      ['n', 'user_typed'],
      ['y', 'user_typed'],
    ])
  })

  it('T10 answered at the keyboard while the server is down, the next one says so', async () => {
    await using harness = await openTerminalHarness({ config: atOnce })
    const { sessionId: id } = await harness.run(asking(harness.at('away')))
    const ask = await harness.openAsk(id)
    await using runner = await openRunHarness({ home: harness.server.home })
    const terminal = runner.openTerminal('attach', id.slice(0, 8))
    await terminal.until('Go on')
    await harness.crash()
    terminal.type('n\r')
    await until(() => readFile(harness.at('away'), 'utf8').catch(() => ''))
    await harness.restart()
    await until(async () => (await harness.asks(id, 'cancelled')).find((one) => one.id === ask.id))
    expect(await harness.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply('y'))).toMatchObject({ status: 409 })
  })

  it('T10 with asks turned off there are none', async () => {
    await using harness = await openTerminalHarness({ config: '[terminal]\nask = "off"\nask_after_seconds = 0\n' })
    const { sessionId: id } = await harness.run(asking(harness.at('off')))
    await harness.waits(id, /Go on/)
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await harness.asks(id)).toEqual([])
  })
})
