import { expect, it } from 'vitest'
import type { MessageId } from '../../src/domain/message/schema.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, type Person, type World } from '../world.ts'
import { hosted, record, search, text, write } from './agent-session.ts'

describeBoth('a search', (open) => {
  const say = async (world: World, sessionId: SessionId, words: string): Promise<MessageId> => {
    const id = newId<MessageId>()
    await world.do({ type: 'message.add', id, sessionId, role: 'agent', content: text(words) })
    return id
  }

  it('finds messages with all the words, newest first, with some context', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await world.session(ann)
    const first = await say(world, id, `${'before '.repeat(30)}the green signal${' after'.repeat(30)}`)
    await say(world, id, 'the red signal')
    const third = await say(world, id, 'Signal: GREEN')
    expect(await search(world, ann, 'green signal')).toEqual([third, first])
    expect(await search(world, ann, 'green signal', { limit: 1 })).toEqual([third])
    expect(await search(world, ann, 'green blue')).toEqual([])
    const found = await world.app.read.searchMessages(await world.app.read.standing(ann), { q: 'green', limit: 5 })
    expect(found.ok && found.value.messages[1]?.snippet).toMatch(/^….*the green signal.*…$/)
    expect(found.ok && found.value.more).toBe(false)
    const newest = await world.app.read.searchMessages(await world.app.read.standing(ann), { q: 'green', limit: 1 })
    expect(newest.ok && newest.value).toMatchObject({ messages: [{ id: third }], more: true })
  })

  it('finds tool calls by their title', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await hosted(world, ann)
    const call = write({ type: 'tool', tool: 'execute', args: {}, title: 'Run make', status: 'completed' })
    await world.do(record(id, 1, [call]))
    expect(await search(world, ann, 'make')).toEqual([call.id])
  })

  it('shows only what the viewer may see, and searches on past the rest', async () => {
    await using world = await open()
    const [ann, bea] = [await world.person('Ann'), await world.person('Bea')]
    const [hers, other] = [await world.session(ann), await world.session(bea)]
    const mine = await say(world, hers, 'signal')
    for (let count = 0; count < 3; count += 1) await say(world, other, 'signal')
    expect(await search(world, ann, 'signal', { limit: 1 })).toEqual([mine])
    expect(await search(world, ann, 'signal', { sessionId: other })).toEqual([])
    expect(await search(world, bea, 'signal')).toHaveLength(3)
    await world.do({ type: 'session.delegate', id: other, userId: ann.userId }, bea)
    expect(await search(world, ann, 'signal')).toHaveLength(4)
    const stranger: Person = { kind: 'person', userId: newId<UserId>(), scope: 'full' }
    await expect(search(world, stranger, 'signal')).rejects.toThrow('not_authorised')
  })

  it('reads what people type as words, never as a query language', async () => {
    await using world = await open()
    const ann = await world.person()
    const there = await say(world, await world.session(ann), 'the green 🚂 " * -- signal')
    const odd = ['"green', 'gre\0en', 'words:green', 'green AND NOT (signal) OR NEAR/2 * ^ -', "green:* & !x | <-> 'y'"]
    for (const q of [...odd, '\uD83D green', 'green\\ %_']) expect(await search(world, ann, q), q).toBeInstanceOf(Array)
    const same = ['"green"', 'GREEN', 'green\0', ' green ', '(green)', 'green 🚂', '🚂green', 'Grëen', 'green/signal']
    for (const q of same) expect(await search(world, ann, q), q).toEqual([there])
    for (const q of ['', '   ', '"', '*', '🚂', '\0', '--']) expect(await search(world, ann, q), q).toEqual([])
  })

  it('finds parts of paths, tags and names, ignoring case and accents', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await world.session(ann)
    const cases: [words: string, q: string][] = [
      ['see src/app/read.ts:12', 'read.ts'],
      ['<div class="wide">', 'wide'],
      ['call createNew_thing()', 'thing'],
      ['Ça va, Zoë?', 'ca zoe'],
      ['garcon', 'garçon'],
      ['ЭТО ЗНАК', 'знак'],
    ]
    for (const [words, q] of cases) {
      const there = await say(world, id, words)
      expect(await search(world, ann, q), q).toEqual([there])
    }
  })

  it('covers the words of very long messages, in any script', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await world.session(ann)
    const letters = 'абвгдежзиклмнопрстуфхцчшэюя'
    const word = (n: number): string => (n < 27 ? (letters[n] ?? '') : word(Math.floor(n / 27)) + letters[n % 27])
    const long = Array.from({ length: 110_000 }, (_, n) => `ю${word(n + 20_000)}`).join(' ')
    const there = await say(world, id, `начало ${long}`)
    expect(await search(world, ann, 'начало')).toEqual([there])
  })
})
