import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalYard, type TerminalAsk, type TerminalYard } from '../support/terminal-yard.ts'
import { until } from '../support/until.ts'
import { openDesk } from './terminals-run-yard.ts'
import { openAsk, startSession } from './work.ts'

const atOnce = '[terminal]\nask_after_seconds = 0\n'
const reply = (value: string) => ({ outcome: 'reply', value })
const asking = (to: string) => `printf "Go on with it? [y/n] "; read a; echo "got $a" | tee ${to}; sleep 600`

describe('prompts of terminals as asks', () => {
  let yard: TerminalYard
  beforeAll(async () => {
    yard = await openTerminalYard({ config: atOnce })
  })
  afterAll(() => yard?.[Symbol.asyncDispose]())

  const becomes = (id: string, status: string): Promise<TerminalAsk> =>
    until(
      async () => {
        const ask = await yard.owner.get<TerminalAsk>(`/api/asks/${id}`)
        return ask.status === status ? ask : null
      },
      { what: `an ask that is ${status}` },
    )
  const answer = (ask: { id: string }, body: Record<string, unknown>) =>
    yard.owner.post<TerminalAsk>(`/api/asks/${ask.id}/answer`, body)

  it('T10 an answer that can not be typed is refused, and the ask stays', async () => {
    const { sessionId: id } = await yard.run(asking(yard.at('refused')))
    const ask = await yard.openAsk(id)
    for (const value of ['a\nb', '\u0003', 'x'.repeat(5000)])
      expect(await yard.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply(value))).toMatchObject({
        status: 400,
        code: 'answer_does_not_fit',
      })
    expect((await yard.openAsk(id)).id).toBe(ask.id)
    await answer(ask, reply('y'))
    expect(await until(() => readFile(yard.at('refused'), 'utf8').catch(() => ''))).toBe('got y\n')
  })

  it('T10 B1 a prompt stands in the inbox beside the asks of agents, with the whole question and what fits', async () => {
    const session = await startSession(yard.owner)
    const other = await openAsk(yard.owner, session)
    const { sessionId: id } = await yard.run(asking(yard.at('inbox')))
    const ask = await yard.openAsk(id)
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
    const { asks } = await yard.owner.get<{ asks: TerminalAsk[] }>('/api/asks?status=open')
    const ids = asks.map((one) => one.id)
    expect(ids).toEqual(expect.arrayContaining([ask.id, other.id]))
    expect(await yard.session(id)).toMatchObject({ waiting: true })
  })

  it('T10 the answer to the ask is typed in, once', async () => {
    const { sessionId: id } = await yard.run(asking(yard.at('typed')))
    const ask = await yard.openAsk(id)
    expect(await answer(ask, reply('y'))).toMatchObject({ status: 'answered' })
    await yard.prints(id, /got y/)
    expect(await yard.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply('n'))).toMatchObject({ status: 409 })
    expect(await readFile(yard.at('typed'), 'utf8')).toBe('got y\n')
    const { ownerUserId } = await yard.get(id)
    const [event] = await until(async () => {
      const events = await yard.inputs(id)
      return events.length > 0 ? events : null
    })
    expect(event).toMatchObject({ inputText: 'y', inputSource: 'user_typed', userId: ownerUserId })
    expect(await becomes(ask.id, 'answered')).toMatchObject({ answer: { outcome: 'reply', value: 'y' } })
    expect(await yard.asks(id)).toEqual([])
  })

  it('T10 declined, nothing is typed', async () => {
    const { sessionId: id } = await yard.run(asking(yard.at('declined')))
    const ask = await yard.openAsk(id)
    await answer(ask, { outcome: 'decline' })
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await yard.detect(id)).toMatchObject({ waiting: true })
    expect(await yard.inputs(id)).toEqual([])
  })

  it('T10 answered elsewhere, the ask is cancelled and says so', async () => {
    const { sessionId: id } = await yard.run(asking(yard.at('elsewhere')))
    const ask = await yard.openAsk(id)
    await yard.answer(id, /Go on/, 'n')
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ reason: expect.stringMatching(/answered|gone/) })
    expect(await yard.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply('y'))).toMatchObject({ status: 409 })
    expect((await yard.prints(id, /got n/)).text).not.toContain('got y')
  })

  it('T10 gone with its program, the ask is cancelled and says so', async () => {
    const { sessionId: id } = await yard.run('printf "Go on? [y/n] "; read a')
    const ask = await yard.openAsk(id)
    await yard.owner.post(`/api/terminals/${id}/end`)
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ reason: expect.stringMatching(/ended|gone/) })
  })

  it('T10 where the watching is stopped, the ask is cancelled', async () => {
    const { sessionId: id } = await yard.run('printf "Go on? [y/n] "; read a')
    const ask = await yard.openAsk(id)
    await yard.owner.post(`/api/terminals/${id}/stop`)
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ id: ask.id })
  })

  it('T10 a dangerous prompt is of high risk, and the ask says why', async () => {
    const { sessionId: id } = await yard.run('printf "Delete 3 tables? (yes/no): "; read a; echo "got $a"; sleep 600')
    const ask = await yard.openAsk(id)
    expect(ask).toMatchObject({ riskLevel: 'high', subject: { dangerous: true } })
    expect(JSON.stringify(ask)).toMatch(/delet/i)
    // A person may.
    await answer(ask, reply('no'))
    await yard.prints(id, /got no/)
  })

  it('T10 T6 a secret that answers an ask is typed and kept nowhere', async () => {
    const secret = 'opensesame-4711'
    const { sessionId: id } = await yard.run(
      'printf "Password: "; stty -echo; read p; stty echo; echo; echo "len $(printf %s "$p" | wc -c)"; sleep 600',
    )
    const ask = await until(async () => (await yard.asks(id)).find(({ subject }) => subject['secret'] === true))
    await answer(ask, reply(secret))
    await yard.prints(id, new RegExp(`len ${secret.length}`))
    const places = [
      JSON.stringify(await yard.owner.get(`/api/asks/${ask.id}`)),
      JSON.stringify(await yard.session(id)),
      JSON.stringify(await yard.inputs(id)),
      (await yard.owner.send('GET', '/api/audit/export')).text,
      (await yard.owner.send('GET', `/api/terminals/${id}/cast`)).text,
      yard.server.log(),
      ...(await Promise.all(
        ['signalbox.db', 'signalbox.db-wal'].map((name) => readFile(`${yard.server.home}/${name}`, 'latin1')),
      )),
    ]
    for (const text of places) expect(text.includes(secret)).toBe(false)
    expect(places.at(-1)).toContain(id)
  })

  it('T10 a followed log is shown to wait, and asked of nobody: it has no keyboard', async () => {
    await writeFile(yard.at('a.log'), 'Continue? [Y/n] ')
    const { sessionId: log } = await yard.follow(yard.at('a.log'), { filePosition: 0 })
    expect(await yard.waits(log, /Continue/)).toMatchObject({ promptType: 'yes_no' })
    const { sessionId: id } = await yard.run(asking(yard.at('after')))
    await yard.openAsk(id)
    expect(await yard.asks(log)).toEqual([])
    await appendFile(yard.at('a.log'), 'y\nOverwrite it? [y/N] ')
    await yard.waits(log, /Overwrite/)
    await yard.crash()
    await yard.restart()
    await yard.waits(log, /Overwrite/)
    expect(await yard.asks(log)).toEqual([])
    expect(await yard.asks(log, 'cancelled')).toEqual([])
  })

  it('T10 shells are not asked about', async () => {
    const shell = await yard.start({ sessionType: 'script', command: ['env', 'PS1=ready$ ', 'sh', '-i'] })
    await yard.waits(shell.sessionId, /ready/)
    const { sessionId: id } = await yard.run(asking(yard.at('later')))
    await yard.openAsk(id)
    expect(await yard.asks(shell.sessionId)).toEqual([])
  })

  it('T10 an ask outlives the server, and its answer is typed by the next one', async () => {
    const { sessionId: id } = await yard.run(asking(yard.at('outlives')))
    const ask = await yard.openAsk(id)
    await yard.crash()
    await yard.restart()
    await yard.waits(id, /Go on/)
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await yard.asks(id)).toMatchObject([{ id: ask.id, status: 'open' }])
    await answer(ask, reply('y'))
    await yard.prints(id, /got y/)
    expect(await readFile(yard.at('outlives'), 'utf8')).toBe('got y\n')
  })

  it('T10 an ask whose program ended while there was no server is cancelled by the next one', async () => {
    const { sessionId: id } = await yard.run('echo $$; printf "Go on? [y/n] "; read a')
    const ask = await yard.openAsk(id)
    const pid = Number(/\d+/.exec((await yard.updates(id)).text)?.[0])
    await yard.crash()
    process.kill(pid, 'SIGKILL')
    await yard.restart()
    expect(await becomes(ask.id, 'cancelled')).toMatchObject({ reason: expect.stringMatching(/\w/) })
    expect(await yard.ended(id)).toMatchObject({ exitSignal: 'SIGKILL' })
  })
})

describe('prompts of terminals and the keyboard', () => {
  it('T10 answered at the keyboard in time there is no ask; later, it is cancelled and says so', async () => {
    await using yard = await openTerminalYard({ config: '[terminal]\nask_after_seconds = 4\n' })
    const script =
      'printf "First? [y/n] "; read a; echo "got $a"; printf "Second? [y/n] "; read a; echo "got $a"; sleep 600'
    const { sessionId: id } = await yard.run(script)
    await using desk = await openDesk({ home: yard.server.home })
    const seat = desk.sit('attach', id.slice(0, 8))
    await seat.until('First?')
    await yard.waits(id, /First/)
    seat.type('y\r')
    await yard.prints(id, /got y/)
    const ask = await yard.openAsk(id)
    expect(ask.title).toBe('Second? [y/n]')
    expect(await yard.asks(id, 'cancelled')).toEqual([])
    seat.type('n\r')
    const [cancelled] = await until(async () => {
      const found = await yard.asks(id, 'cancelled')
      return found.length > 0 ? found : null
    })
    expect(cancelled).toMatchObject({ id: ask.id, reason: expect.stringContaining('keyboard') })
    await until(async () => (await yard.inputs(id)).length >= 2).catch(() => {})
    const inputs = await yard.inputs(id)
    expect(inputs.map(({ inputText, inputSource }) => [inputText, inputSource])).toEqual([
      ['n', 'user_typed'],
      ['y', 'user_typed'],
    ])
  })

  it('T10 answered at the keyboard while there is no server, the next one says so', async () => {
    await using yard = await openTerminalYard({ config: atOnce })
    const { sessionId: id } = await yard.run(asking(yard.at('away')))
    const ask = await yard.openAsk(id)
    await using desk = await openDesk({ home: yard.server.home })
    const seat = desk.sit('attach', id.slice(0, 8))
    await seat.until('Go on')
    await yard.crash()
    seat.type('n\r')
    await until(() => readFile(yard.at('away'), 'utf8').catch(() => ''))
    await yard.restart()
    await until(async () => (await yard.asks(id, 'cancelled')).find((one) => one.id === ask.id))
    expect(await yard.owner.refused('POST', `/api/asks/${ask.id}/answer`, reply('y'))).toMatchObject({ status: 409 })
  })

  it('T10 where asks are off there are none', async () => {
    await using yard = await openTerminalYard({ config: '[terminal]\nask = "off"\nask_after_seconds = 0\n' })
    const { sessionId: id } = await yard.run(asking(yard.at('off')))
    await yard.waits(id, /Go on/)
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await yard.asks(id)).toEqual([])
  })
})
