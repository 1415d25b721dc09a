import { expect, it } from 'vitest'
import type { Command } from '../../src/app/command.ts'
import type { Reply } from '../../src/app/chat/commands/reply.ts'
import { commandNames } from '../../src/app/chat/commands/command-table.ts'
import type { ChatSender } from '../../src/domain/chat/incoming.ts'
import type { Content } from '../../src/domain/chat-post/content.ts'
import { NewSession, type SessionId } from '../../src/domain/session/schema.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { hashOfLinkCode } from '../../src/lib/link-code.ts'
import { iso } from '../../src/lib/clock.ts'
import { newId, newRandomId } from '../../src/lib/id.ts'
import { describeBoth, describeUsual, workRepo, type Person, type World } from '../world.ts'
import { chatHarness, sender } from './chat-harness.ts'
import { subjects } from './samples.ts'

const people: Record<string, ChatSender> = {
  owner: sender('U1', 'Ann'),
  member: sender('U2', 'Bea'),
  admin: sender('U3', 'Cem'),
  linked: sender('U4', 'Dan'),
  stranger: sender('U9', 'Eve'),
}
const textOf = (reply: Reply): string => {
  if (!reply) return ''
  const shown: Content = reply.content
  return shown.kind === 'text' ? shown.text : JSON.stringify(shown)
}

/** Ann's session in thread 1.0 of a wired chat; Bea is a member too, Cem an admin, Dan somebody with an account. */
async function setting(world: World) {
  const on = await chatHarness(world)
  const group = await on.group('Dev')
  const chatId = await on.chat('C1')
  await on.wire(chatId, group, { engageMode: 'mention-sticky' })
  const ann = await on.member(group)
  const bea = await on.member(group, 'U2', 'Bea')
  const cem = await on.member(null, 'U3', 'Cem')
  await world.do({ type: 'role.grant', userId: cem.userId, role: 'admin', agentGroupId: null })
  const userId = newId<UserId>()
  const identities = ['slack:U4', 'email:dan@example.org']
  await world.do({ type: 'user.create', id: userId, displayName: 'Dan', identities })
  const dan: Person = { kind: 'person', userId, scope: 'full' }
  await on.say('fix the login page', { messageId: '1.0' })
  const id: SessionId = (await on.sessions())[0]!.id
  return { on, group, chatId, ann, bea, cem, dan, id, short: id.slice(0, 8) }
}
const status = async ({ on, id }: Awaited<ReturnType<typeof setting>>) =>
  (await on.sessions()).find((one) => one.id === id)?.status

/** Everything but what counts strangers and remembers requests. */
async function state(world: World) {
  const { unregistered_senders: _counted, commands: _keys, ...rest } = await world.tables()
  return rest
}

const notYours = /^Only the owner of the session can do this\./
const noSession = /^No such session|^No session here/
const own = /./

describeUsual('each command does for each person what they may do in the web', (open) => {
  const rows: [command: string, done: Record<'owner' | 'member' | 'admin' | 'linked', RegExp>, changes?: boolean][] = [
    ['help', { owner: /`stop \[SESSION\]/, member: own, admin: own, linked: own }],
    ['agents', { owner: /`dev` Dev \(agent group\)\n`claude`/, member: /`dev`/, admin: /`dev`/, linked: /^`claude`/ }],
    [
      'sessions',
      { owner: /active · .*fix the login/, member: /fix the login/, admin: /fix/, linked: /^No running sess/ },
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
    ['checkpoint ID', { owner: /^Not in this test/, member: own, admin: own, linked: noSession }],
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
    expect(several).toMatch(/^Several sessions match:\n/)
    expect(several).toContain(`\`/signalbox stop ${other.slice(0, 8)}\` active · mcp · write the login docs`)
    expect(textOf(await on.command('stop docs', { chat: 'C7' }))).toBe(`Ann stopped session ${other.slice(0, 8)}.`)
    expect(textOf(await on.command('pause logni', { chat: 'C7' }))).toMatch(/^No such session: logni\. Did you mean `/)
    expect(textOf(await on.command('pause zebra', { chat: 'C7' }))).toMatch(/^No such session: zebra\. See them with/)
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
    expect(textOf(await on.command('sessions', { from: kim }))).toMatch(/^`\w+` active · .*hello · Kim$/)
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

describeUsual('commands in words', (open) => {
  it('are told from messages to the agent by their arguments', async () => {
    await using world = await open()
    const { on, short } = await setting(world)
    const taken: string[] = []
    const texts = [
      'stop',
      'Stop',
      `stop ${short} too slow`,
      'stop using tabs',
      'continue',
      'continue with the docs',
      'resume',
      'help',
      'help stop',
      'help me',
      'start claude fix it',
      'start the server',
      'start dev fix it',
      'run',
      'run tests',
      'run the tests',
      'show me the diff',
      `show ${short}`,
      'files',
      'files are missing',
      'who',
      'who wrote this?',
      'link',
      'link K7QM-2XWD',
      'link the pages',
      'sessions all',
      'sessions are slow',
      'steer use tabs',
      'Task: do it',
      'task do it',
      'queue',
      'queue it',
      'restore',
      'restore the old one',
      'approve',
      'status',
      '',
    ]
    for (const text of texts) if (await on.commands.isCommand(text)) taken.push(text)
    expect(taken).toEqual([
      'stop',
      'Stop',
      `stop ${short} too slow`,
      'continue',
      'resume',
      'help',
      'help stop',
      'start claude fix it',
      'start dev fix it',
      'run',
      'run tests',
      `show ${short}`,
      'files',
      'who',
      'link',
      'link K7QM-2XWD',
      'sessions all',
      'steer use tabs',
      'task do it',
      'queue',
      'restore',
    ])
  })

  it('that do not exist are named, with what was meant', async () => {
    await using world = await open()
    const { on } = await setting(world)
    const said = async (text: string, more = {}) => textOf(await on.command(text, more))
    expect(await said('stpo')).toBe("unknown command 'stpo'. Did you mean `/signalbox stop`?")
    expect(await said('dance')).toBe("unknown command 'dance'. See them with: `/signalbox help`")
    expect(await said('help sesions', { messageId: '1' })).toBe("unknown command 'sesions'. Did you mean `sessions`?")
    expect(await said('')).toMatch(/^`help \[COMMAND\]`/)
    expect(await said('steer')).toMatch(/^Text is missing\. Usage: `\/signalbox steer \[SESSION\]/)
    expect(await said('start claud paint it')).toMatch(
      /^Agent 'claud' not found\. Did you mean `\/signalbox start claude/,
    )
    expect(await said('start claude')).toMatch(/^PROMPT is missing/)
    expect(await said('start claude --repo shop paint')).toMatch(/^No such repo: shop\. Repos: work\.$/)
  })

  it('answer the ask of the thread before they act on the session; a slash command always acts', async () => {
    await using world = await open()
    const all = await setting(world)
    const { on, id } = all
    await world.ask(id, { subject: subjects.prompt, title: 'Go on?' })
    const reply = await on.command('stop', { thread: '1.0', messageId: '1.5' })
    expect([reply?.to, textOf(reply), await status(all)]).toEqual(['thread', 'Stopped by Ann: Go on?', 'active'])
    await world.ask(id, { subject: subjects.prompt, title: 'And now?' })
    await on.command('stop', { thread: '1.0' })
    expect(await status(all)).toBe('cancelled')
  })

  it('are limited per person: one is told so once, then silence', async () => {
    await using world = await open()
    const { on } = await setting(world)
    for (let n = 0; n < 30; n += 1) expect(await on.command('who')).not.toBeNull()
    expect(textOf(await on.command('who'))).toMatch(/^Too many commands\. Try again in \d+ seconds\.$/)
    expect(await on.command('who')).toBeNull()
    expect(await on.command('who', { from: people['member']! })).not.toBeNull()
    world.clock.advance(61_000)
    expect(textOf(await on.command('who'))).toMatch(/^You are Ann/)
  })

  it('run a registered command once, for people with the machine right', async () => {
    await using world = await open()
    const { on, group } = await setting(world)
    const max = await world.machineUser()
    await world.do({ type: 'identity.link', userId: max.userId, identity: 'slack:U5' })
    await world.do({ type: 'member.add', userId: max.userId, agentGroupId: group })
    const from = sender('U5', 'Max')
    await on.say('go', { messageId: '7.0', from })
    const once = { from, thread: '7.0', inboxId: newId<never>() }
    expect(textOf(await on.command('run', { from }))).toBe('`/signalbox run tests` npm test')
    expect(await on.command('run tests', once)).toMatchObject({
      to: 'sender',
      content: { card: { title: 'tests exited with 0', lines: [{ text: '$ npm test' }, { text: 'fine' }] } },
    })
    expect(textOf(await on.command('run tests', once))).toMatch(/not run again/)
    expect(textOf(await on.command('run test', { from, thread: '7.0' }))).toMatch(
      /^Command not found: test\. Did you mean/,
    )
    expect(on.ran).toEqual(['tests'])
  })
})
