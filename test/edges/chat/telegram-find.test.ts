import { describe, expect, it } from 'vitest'
import type { Card, Outgoing } from '../../../src/edges/chat/adapter.ts'
import { createFind } from '../../../src/edges/chat/telegram/find.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { never, openScene, outgoing, type Scene } from './telegram-harness.ts'

const card = (more: Partial<Card> = {}): Card => ({
  title: 'Apply changes?',
  tone: 'waiting',
  lines: [{ kind: 'diff', text: '-old\n+new' }],
  buttons: [
    { action: 'a:1:approve', label: 'Approve', style: 'primary' },
    { action: 'a:1:reject', label: 'Reject', style: 'danger' },
  ],
  footer: 'session 1',
  mention: null,
  ...more,
})
/** Long enough ago for a message to be there. */
const aWhileAgo = () => Date.now() - 10_000

async function sent({ connection }: Scene, message: Outgoing): Promise<string> {
  const result = await connection.send(message, never)
  if (result.kind !== 'sent') throw new Error(result.error)
  return result.messageId
}

describe('a message in doubt', () => {
  /** Looks first, as the sender does. */
  async function sendAgain({ connection }: Scene, message: Outgoing, after: string | null): Promise<string> {
    const found = await connection.find(message, { after, since: aWhileAgo() }, never)
    if (found.kind === 'found') return found.messageId
    expect(found.kind).toBe('absent')
    const result = await connection.send(message, never)
    if (result.kind !== 'sent') throw new Error(result.error)
    return result.messageId
  }

  const contents = {
    text: (index: number) => `message ${index} <&>`,
    card: (index: number) => ({ kind: 'card' as const, card: card({ title: `card ${index}` }) }),
    file: (index: number) => ({
      kind: 'file' as const,
      name: `${index}.txt`,
      bytes: Buffer.from('x'),
      text: index === 1 ? null : 'look',
    }),
  }

  it.each(['text', 'card', 'file'] as const)('is found in a supergroup, and not sent twice: %s', async (kind) => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const ann = telegram.person('ann')
    let after = await sent(scene, outgoing(group, 'before'))
    const method = kind === 'file' ? 'sendDocument' : 'sendMessage'
    for (const [index, fault] of [{ drop: 'after' }, { drop: 'before' }, { code: 502 }].entries()) {
      const message = outgoing(group, contents[kind](index))
      // Others write before and after it, the same words too.
      ann.writes(group, `message ${index} <&>`)
      telegram.fail({ method, ...(fault as object) })
      expect(await connection.send(message, never)).toMatchObject({ kind: 'unsure' })
      ann.writes(group, 'in between')
      after = await sendAgain(scene, message, after)
    }
    const ours = telegram.ours(group)
    expect(ours).toHaveLength(4)
    expect(ours.map(({ edits }) => edits ?? 0)).toEqual([0, 0, 0, 0])
  })

  it('is found behind a deleted message, and our other messages are left alone', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const ann = telegram.person('ann')
    const after = await sent(scene, outgoing(group, 'before'))
    const deleted = [ann.writes(group, 'x'), ann.writes(group, 'y')].map(({ id }) => id)
    const another = await sent(scene, outgoing(group, 'another of ours'))
    const known = async () => new Set([another])
    const message = outgoing(group, 'hello')
    telegram.fail({ method: 'sendMessage', drop: 'after' })
    await connection.send(message, never)
    const record = telegram.world.chats.get(Number(group))!
    record.messages = record.messages.filter(({ message_id: id }) => !deleted.includes(id))
    const found = await connection.find(message, { after, since: aWhileAgo(), known }, never)
    expect(found).toEqual({ kind: 'found', messageId: String(telegram.ours(group).at(-1)!.message_id) })
    expect(telegram.ours(group).map(({ text }) => text)).toEqual(['before', 'another of ours', 'hello'])
  })

  it('cannot be found in a direct chat, a small group, or without an earlier message', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const ann = telegram.person('ann')
    const find = (chat: string, after: string | null) =>
      connection.find(outgoing(chat, 'x'), { after, since: aWhileAgo() }, never)
    expect(await find(ann.direct(), '1')).toMatchObject({ kind: 'unknown' })
    expect(await find(telegram.group('small', 'group'), '1')).toMatchObject({ kind: 'unknown' })
    expect(await find(group, null)).toMatchObject({ kind: 'unknown' })
    expect(telegram.callsOf('editMessageText')).toEqual([])
  })

  it('is not called absent if Telegram cannot be asked; the search goes on where it stopped', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const after = await sent(scene, outgoing(group, 'before'))
    const find = (lookedTo: string | null = null) =>
      connection.find(outgoing(group, 'x'), { after, since: aWhileAgo(), lookedTo }, never)
    const probes = () => telegram.callsOf('editMessageText').length
    telegram.fail({ method: 'editMessageText', code: 429, retryAfter: 3 })
    expect(await find()).toMatchObject({ kind: 'looking', because: { kind: 'rate_limited', retryAfterMs: 3000 } })
    telegram.fail({ method: 'editMessageText', code: 502 })
    expect(await find()).toMatchObject({ kind: 'looking', because: { kind: 'transient' } })
    telegram.fail({ method: 'editMessageText', code: 403, description: 'Forbidden: bot was kicked' })
    expect(await find()).toMatchObject({ kind: 'looking', because: { kind: 'gone' } })
    const ann = telegram.person('ann')
    for (let count = 0; count < 40; count += 1) ann.writes(group, 'x')
    const before = probes()
    const first = await find()
    expect(first).toMatchObject({ kind: 'looking', because: { kind: 'transient' } })
    expect(probes() - before).toBe(30)
    expect(await find(first.kind === 'looking' ? first.lookedTo : null)).toEqual({ kind: 'absent' })
    // Ten messages that are left, and three ids that nobody has.
    expect(probes() - before).toBe(43)
  })

  it('is not looked for behind more than 90 messages that are not stored', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const after = await sent(scene, outgoing(group, 'before'))
    const ann = telegram.person('ann')
    const known = async (among: readonly { messageId: string; eventKey: string }[]) =>
      new Set(among.filter(({ messageId }) => Number(messageId) <= 500).map(({ messageId }) => messageId))
    for (let count = 0; count < 600; count += 1) ann.writes(group, 'x')
    let lookedTo: string | null = null
    for (let times = 0; times < 3; times += 1) {
      const found = await connection.find(outgoing(group, 'x'), { after, since: aWhileAgo(), lookedTo, known }, never)
      expect(found).toMatchObject({ kind: 'looking' })
      lookedTo = found.kind === 'looking' ? found.lookedTo : null
    }
    const find = () => connection.find(outgoing(group, 'x'), { after, since: aWhileAgo(), lookedTo, known }, never)
    // Nothing is sent again while Telegram can't be asked.
    telegram.fail({ method: 'getChat', code: 502 })
    expect(await find()).toMatchObject({ kind: 'transient' })
    expect(await find()).toMatchObject({ kind: 'unknown' })
    expect(telegram.callsOf('editMessageText')).toHaveLength(90)
  })

  it('is found behind a gap if later messages are stored', async () => {
    await using scene = await openScene()
    const { telegram, group, connection } = scene
    const ann = telegram.person('ann')
    const after = await sent(scene, outgoing(group, 'before'))
    const deleted = Array.from({ length: 10 }, () => ann.writes(group, 'x').id)
    const message = outgoing(group, 'hello')
    telegram.fail({ method: 'sendMessage', drop: 'after' })
    await connection.send(message, never)
    const { id } = ann.writes(group, 'later')
    const record = telegram.world.chats.get(Number(group))!
    record.messages = record.messages.filter((one) => !deleted.includes(one.message_id))
    const known = async (among: readonly { messageId: string }[]) =>
      new Set(among.map(({ messageId }) => messageId).filter((one) => one === String(id)))
    const found = await connection.find(message, { after, since: aWhileAgo(), known }, never)
    expect(found).toEqual({ kind: 'found', messageId: String(id - 1) })
  })

  it('is looked for once what people wrote meanwhile is stored, so that their messages cost no call', async () => {
    const calls: string[] = []
    const heard = Promise.withResolvers<void>()
    const botApi = {
      async call(method: string) {
        calls.push(method)
        return { kind: 'gone' as const, error: 'Bad Request: message to edit not found' }
      },
      download: async () => ({ kind: 'gone' as const, error: 'no file' }),
    }
    const find = createFind({ botApi, clock: systemClock, heard: () => heard.promise })
    const found = find(outgoing('-1001', 'hello'), { after: '5', since: aWhileAgo() }, never)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    expect(calls).toEqual([])
    heard.resolve()
    expect(await found).toEqual({ kind: 'absent' })
    expect(calls).toEqual(['editMessageText', 'editMessageText', 'editMessageText'])
  })

  it('is looked for only a moment later', async () => {
    const clock = fakeClock()
    await using scene = await openScene({ clock, byHttp: true })
    const { telegram, group, connection } = scene
    const after = await sent(scene, outgoing(group, 'before'))
    const found = connection.find(outgoing(group, 'x'), { after, since: clock.now() }, never)
    await until(() => clock.timers().includes(clock.now() + 2000))
    clock.advance(1999)
    expect(telegram.callsOf('editMessageText')).toEqual([])
    clock.advance(1)
    expect(await found).toEqual({ kind: 'absent' })
  })
})
