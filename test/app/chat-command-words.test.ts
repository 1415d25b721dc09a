import { expect, it } from 'vitest'
import { newId } from '../../src/lib/id.ts'
import { describeUsual } from '../world.ts'
import '../support/chats/loopback-guard.ts'
import { sender } from './chat-harness.ts'
import { people, setting, status, textOf } from './chat-people.ts'
import { subjects } from './samples.ts'

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
    expect(await said('stpo')).toBe('There is no command stpo. Did you mean `/signalbox stop`?')
    expect(await said('dance')).toBe('There is no command dance. List them with `/signalbox help`.')
    expect(await said('help sesions', { messageId: '1' })).toBe('There is no command sesions. Did you mean `sessions`?')
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

  it('save and restore files: a restore lists what differs, and wants to be confirmed', async () => {
    await using world = await open()
    const all = await setting(world)
    const { on, short } = all
    const saved = await on.command('checkpoint before the refactoring', { thread: '1.0' })
    const [, id = ''] = /checkpoint (\w{8})\.$/.exec(textOf(saved)) ?? []
    expect([saved?.to, id]).toEqual(['thread', expect.stringMatching(/^[0-9a-f]{8}$/)])
    expect(textOf(await on.command('restore', { thread: '1.0' }))).toMatch(
      new RegExp(`^\`/signalbox restore ${id}\` before the refactoring · 3 files · 20`),
    )
    const sure = `restore ${id} --yes`
    expect(textOf(await on.command(`restore ${id}`))).toBe(
      `Changed since, restored (1): a.ts\nNew since, kept (1): new.ts\nTo restore these files and end the agent: \`/signalbox ${sure}\``,
    )
    for (const from of [people['member']!, people['admin']!, people['linked']!])
      expect(textOf(await on.command(sure, { from }))).toMatch(/^Only the owner|^No such checkpoint/)
    expect([on.ran, await status(all)]).toEqual([[], 'active'])
    const done = await on.command(sure, { thread: '1.0' })
    expect([done?.to, textOf(done)]).toEqual(['thread', expect.stringMatching(/^1 file restored from checkpoint/)])
    expect([on.ran, await status(all)]).toEqual([['restore'], 'terminated'])
    expect(textOf(await on.command('continue now the tests', { thread: '1.0' }))).toMatch(
      `Session ${short} continues as`,
    )
  })
})
