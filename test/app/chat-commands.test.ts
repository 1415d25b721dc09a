import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import { commandNames } from '../../src/app/chat/commands/command-table.ts'
import { NewSession } from '../../src/domain/session/schema.ts'
import { hashOfLinkCode } from '../../src/lib/link-code.ts'
import { iso } from '../../src/lib/clock.ts'
import { newId, newRandomId } from '../../src/lib/id.ts'
import { describeBoth, describeUsual, workRepo } from '../world.ts'
import '../support/chats/loopback-guard.ts'
import { sender } from './chat-harness.ts'
import { people, setting, state, status, textOf } from './chat-people.ts'
import { subjects } from './samples.ts'

const notYours = /^Only the owner of the session can do this\./
const noSession = /^No such session|^No session here/
const own = /./

describeUsual('each command does for each person what they may do in the web', (open) => {
  const rows: [command: string, done: Record<'owner' | 'member' | 'admin' | 'linked', RegExp>, changes?: boolean][] = [
    ['help', { owner: /`stop \[SESSION\]/, member: own, admin: own, linked: own }],
    ['agents', { owner: /`dev` Dev \(agent group\)\n`claude`/, member: /`dev`/, admin: /`dev`/, linked: /^`claude`/ }],
    [
      'sessions',
      { owner: /idle · .*fix the login/, member: /fix the login/, admin: /fix/, linked: /^No running sess/ },
    ],
    ['show ID', { owner: /"Owner","Ann"/, member: /"Owner","Ann"/, admin: /"Owner","Ann"/, linked: noSession }],
    ['files ID', { owner: /^No files/, member: /^No files/, admin: /^No files/, linked: noSession }],
    ['queue ID', { owner: /fix the login/, member: /fix the login/, admin: /fix the login/, linked: noSession }],
    [
      'who',
      { owner: /^You are Ann \(slack:U1\)\..*\n.*Dev/, member: /Bea/, admin: /Roles: admin/, linked: /Roles: none/ },
    ],
    ['stop ID', { owner: /^Ann stopped session/, member: notYours, admin: notYours, linked: noSession }, true],
    ['pause ID', { owner: /^Ann paused session/, member: notYours, admin: notYours, linked: noSession }, true],
    ['resume ID', { owner: /active/, member: notYours, admin: notYours, linked: noSession }],
    ['restart ID go', { owner: / continues as /, member: notYours, admin: notYours, linked: noSession }, true],
    ['continue ID', { owner: /still active/, member: /still active/, admin: /still active/, linked: noSession }],
    ['steer ID use tabs', { owner: /^Sent; /, member: notYours, admin: notYours, linked: noSession }, true],
    ['task ID write docs', { owner: /^Queued; /, member: notYours, admin: notYours, linked: noSession }, true],
    ['checkpoint ID', { owner: /^3 files saved as/, member: notYours, admin: notYours, linked: noSession }, true],
    ['restore', { owner: /^No checkpoints/, member: /^No checkpoints/, admin: /^No checkpoints/, linked: noSession }],
    ['run tests ID', { owner: /machine right/, member: notYours, admin: notYours, linked: noSession }],
  ]

  it.each(rows)('%s', async (command, done, changes = false) => {
    await using world = await open()
    const all = await setting(world)
    const text = command.replace('ID', all.short)
    const thread = command === 'restore' ? '1.0' : null
    const before = await state(world)
    expect(await all.on.command(text, { from: people['stranger']!, thread })).toBeNull()
    expect(await all.on.strangers()).toMatchObject([{ user_id: 'slack:U9', n: 1 }])
    for (const who of ['linked', 'member', 'admin'] as const) {
      const reply = await all.on.command(text, { from: people[who]!, thread })
      expect([who, reply?.to, textOf(reply)]).toEqual([who, 'sender', expect.stringMatching(done[who])])
    }
    expect(await state(world)).toEqual(before)
    expect(textOf(await all.on.command(text, { thread }))).toMatch(done.owner)
    expect(JSON.stringify(await state(world)) !== JSON.stringify(before)).toBe(changes)
    expect(all.on.ran).toEqual([])
  })

  it('start, for oneself, in a group only by its people', async () => {
    await using world = await open()
    const { on } = await setting(world)
    expect(await on.command('start claude hello', { from: people['stranger']! })).toBeNull()
    expect(textOf(await on.command('start dev hello', { from: people['linked']! }))).toMatch(
      /Only members of the agent/,
    )
    expect(on.starts()).toBe(1)
    expect(textOf(await on.command('start dev hello', { from: people['member']! }))).toMatch(/^Session \w+ started\.$/)
    expect(textOf(await on.command('start claude hello', { from: people['linked']! }))).toMatch(/^Session \w+ started/)
    expect(on.starts()).toBe(3)
  })

  it('covers every command', () => {
    const covered = new Set([...rows.map(([text]) => text.split(' ')[0]), 'start', 'link'])
    expect(commandNames.filter((name) => !covered.has(name))).toEqual([])
  })

  it('never what the core refuses that person', async () => {
    await using world = await open()
    const all = await setting(world)
    const { id, on } = all
    const wait = await world.ask(id, { subject: subjects.prompt })
    const attempts: [string, Command][] = [
      ['stop ID', { type: 'session.cancel', id, reason: null }],
      ['pause ID', { type: 'session.pause', id, reason: null }],
      ['steer ID --now x', { type: 'queue.add', id: newId(), sessionId: id, text: 'x', when: 'now' }],
      ['task ID x', { type: 'queue.add', id: newId(), sessionId: id, text: 'x', when: 'later' }],
      ['run tests ID', { type: 'session.steer', id, what: 'run', detail: 'tests' }],
      ['restart ID', restart(all)],
      ['@continue', { type: 'ask.answer', id: wait, answer: { outcome: 'continue' } }],
      ['@stop', { type: 'ask.answer', id: wait, answer: { outcome: 'stop', reason: null } }],
    ]
    for (const who of ['bea', 'cem', 'dan'] as const) {
      for (const [text, command] of attempts) {
        expect([who, text, await world.app.check(command, all[who])]).toEqual([
          who,
          text,
          expect.objectContaining({ ok: false }),
        ])
        const before = await state(world)
        const from = people[{ bea: 'member', cem: 'admin', dan: 'linked' }[who]]!
        const mention = text.startsWith('@')
        const said = text.replace('@', '').replace('ID', all.short)
        const reply = await on.command(said, { from, thread: '1.0', ...(mention && { messageId: '1.9' }) })
        expect([who, text, reply?.to]).toEqual([who, text, 'sender'])
        expect(await state(world)).toEqual(before)
      }
    }
  })

  const restart = ({ id, ann }: Awaited<ReturnType<typeof setting>>): Command => ({
    type: 'session.start',
    session: NewSession.parse({
      id: newRandomId(),
      ownerUserId: ann.userId,
      workspaceRoot: workRepo.path,
      protocolMode: 'acp',
    }),
    active: true,
    restartOf: id,
  })
})

describeBoth('the session that a command means', (open) => {
  it('is the one of the thread; elsewhere by its id or its words; several are listed, a miss is guessed', async () => {
    await using world = await open()
    const all = await setting(world)
    const { on, short, ann } = all
    expect(textOf(await on.command('pause', { thread: '1.0' }))).toBe(`Ann paused session ${short}.`)
    expect((await on.command('resume too early', { thread: '1.0' }))?.to).toBe('thread')
    expect(textOf(await on.command('pause login', { chat: 'C7' }))).toBe(`Ann paused session ${short}.`)
    expect((await on.command(`resume ${short.slice(0, 5)}`, { chat: 'C7' }))?.to).toBe('sender')
    const other = await world.session(ann, { prompt: 'write the login docs' })
    const several = textOf(await on.command('stop login', { chat: 'C7' }))
    expect(several).toContain('"title":"Several sessions match:"')
    expect(several).toContain(`\`/signalbox stop ${other.slice(0, 8)}\` working · mcp · write the login docs`)
    expect(several).toContain(`"label":"${other.slice(0, 8)} write the login docs"`)
    expect(textOf(await on.command('stop docs', { chat: 'C7' }))).toBe(`Ann stopped session ${other.slice(0, 8)}.`)
    expect(textOf(await on.command('pause logni', { chat: 'C7' }))).toMatch(/^No such session: logni\. Did you mean `/)
    expect(textOf(await on.command('pause zebra', { chat: 'C7' }))).toMatch(
      /^No such session: zebra\. Name the session first, .* See them with/,
    )
    // In this chat Ann has one.
    expect(textOf(await on.command('steer hurry', { thread: '1.0' }))).toMatch(/^Sent; /)
    expect(textOf(await on.command('pause'))).toBe(`Ann paused session ${short}.`)
    expect(await status(all)).toBe('paused')
  })

  it('of an agent that connects is found by its channel and thread', async () => {
    await using world = await open()
    const { on, ann, chatId } = await setting(world)
    const id = await world.session(ann, { channelId: 'C1', threadTs: '5.0' })
    expect(textOf(await on.command('stop enough', { thread: '5.0' }))).toBe(
      `Ann stopped session ${id.slice(0, 8)}: enough`,
    )
    expect(textOf(await on.command('stop', { thread: '5.0' }))).toMatch(
      /^Session already ended \(cancelled\)\. Continue/,
    )
    expect(chatId).toBeDefined()
  })

  it('is never one that the person may not see, nor another one than that of the thread', async () => {
    await using world = await open()
    const { on, dan, chatId } = await setting(world)
    const from = people['linked']!
    const own = await world.session(dan, { messagingGroupId: chatId, threadId: '8.0', prompt: 'paint' })
    const before = await state(world)
    for (const command of ['stop', 'who', 'show', 'files', 'queue', 'steer faster']) {
      const said = textOf(await on.command(command, { from, thread: '1.0' }))
      expect(said).not.toMatch(/login|Ann|stopped|Sent/)
    }
    expect(await state(world)).toEqual(before)
    expect(textOf(await on.command('stop', { from }))).toBe(`Dan stopped session ${own.slice(0, 8)}.`)
  })

  it('is told twice, and done once', async () => {
    await using world = await open()
    const { on } = await setting(world)
    const twice = { thread: '1.0', inboxId: newId<never>() }
    expect(await on.command('steer use tabs', twice)).toEqual(await on.command('steer use tabs', twice))
    expect((await on.told()).filter((text) => text === 'use tabs')).toHaveLength(1)
    const start = { inboxId: newId<never>(), messageId: '9.0' }
    await on.command('start claude --repo work paint it', start)
    await on.command('start claude --repo work paint it', start)
    const [last, ...more] = (await on.sessions()).filter(({ thread_id }) => thread_id === '9.0')
    expect([last?.agent_group_id, more]).toEqual([null, []])
  })
})

describeBoth('strangers', (open) => {
  it('are silent and counted; a person from a public chat has their own sessions and nothing else', async () => {
    await using world = await open()
    const { on, chatId, group } = await setting(world)
    for (const text of ['help', '', 'link', 'link AAAA-BBBB', 'nonsense', 'sessions'])
      expect(await on.command(text, { from: people['stranger']! })).toBeNull()
    expect(await on.strangers()).toMatchObject([{ user_id: 'slack:U9', n: 6 }])
    const known = await on.member(null, 'U8', 'Kim')
    const kim = sender('U8', 'Kim')
    expect(await on.command('help', { from: kim })).toBeNull()
    await world.do({ type: 'chat.update', id: chatId, unknownSenderPolicy: 'public' })
    await on.say('hello', { messageId: '3.0', from: kim })
    const session = (await on.sessions()).find(({ thread_id }) => thread_id === '3.0')
    expect(session).toMatchObject({ owner_user_id: known.userId, agent_group_id: group })
    expect(textOf(await on.command('sessions', { from: kim }))).toMatch(/^`\w+` idle · .*hello · Kim$/)
    expect(textOf(await on.command('start claude rm it', { from: kim, chat: 'C7' }))).toMatch(/^Only members of an/)
    expect(textOf(await on.command('stop', { from: kim, thread: '3.0' }))).toMatch(/^Kim stopped/)
    expect(await on.command('help', { from: { ...people['owner']!, isBot: true } })).toBeNull()
  })

  it('prove who they are with a code from the web; a code from the chat goes the other way', async () => {
    await using world = await open()
    const { on, dan } = await setting(world)
    const expiresAt = iso(world.clock.now() + 60_000)
    await world.do({ type: 'identity.offer_own', codeHash: hashOfLinkCode('K7QM-2XWD'), expiresAt }, dan)
    expect(await on.command('link K7QM-2XWE', { from: people['stranger']! })).toBeNull()
    const linked = await on.command('link k7qm2xwd', { from: people['stranger']! })
    expect([linked?.to, textOf(linked)]).toEqual(['sender', 'Linked. You are Dan here.'])
    expect(textOf(await on.command('who', { from: people['stranger']! }))).toMatch(/^You are Dan/)
    const offer = await on.command('link', { from: people['owner']! })
    const [, code = ''] = /^Code: `([A-Z0-9-]+)`/.exec(textOf(offer)) ?? []
    expect(offer?.to).toBe('sender')
    await world.do({ type: 'identity.claim', codeHash: hashOfLinkCode(code) }, dan)
    expect(textOf(await on.command('who', { from: people['owner']! }))).toMatch(/^You are Dan/)
  })

  it('can guess a few codes only', async () => {
    await using world = await open()
    const { on, dan } = await setting(world)
    const expiresAt = iso(world.clock.now() + 3_600_000)
    await world.do({ type: 'identity.offer_own', codeHash: hashOfLinkCode('K7QM-2XWD'), expiresAt }, dan)
    for (let n = 0; n < 5; n += 1) await on.command(`link AAAA-AAA${n}`, { from: people['stranger']! })
    expect(await on.command('link K7QM-2XWD', { from: people['stranger']! })).toBeNull()
    world.clock.advance(11 * 60_000)
    expect(textOf(await on.command('link K7QM-2XWD', { from: people['stranger']! }))).toMatch(/^Linked/)
  })
})
