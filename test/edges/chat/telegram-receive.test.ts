import { describe, expect, it } from 'vitest'
import { escaped } from '../../support/chats/loopback-guard.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'
import { never, openScene, outgoing, textsOf, type Scene } from './telegram-harness.ts'

describe('messages from Telegram', () => {
  it('arrive once, without our own mention', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group, connection } = scene
    const ann = telegram.person('ann')
    const written = ann.writes(group, '😀 @Signalbox_bot look at <b> & @bob_name')
    await written.confirmed
    expect(inbox.deliveries).toEqual([`${group}:${written.id}`])
    expect(inbox.events).toEqual([
      {
        kind: 'message',
        key: `${group}:${written.id}`,
        chat: { id: group, name: 'ops', isGroup: true, isDirect: false },
        thread: null,
        messageId: String(written.id),
        sender: { handle: ann.handle, identity: `tg:${ann.id}`, name: 'ann', isBot: false },
        text: '😀  look at <b> & @bob_name',
        mentionsUs: true,
        files: [],
        replyTo: null,
        at: expect.stringMatching(/^20\d\d-.*\.000Z$/),
      },
    ])
    const chat = { id: group, name: null, isGroup: true, isDirect: false }
    expect(await connection.missed(chat, null, '1', never)).toEqual({ kind: 'read', events: [], more: false })
    expect(escaped).toEqual([])
  })

  it('keep their topic, what they reply to, their files and their order', async () => {
    await using scene = await openScene()
    const { telegram, inbox, connection } = scene
    const forum = telegram.group('forum', 'supergroup', true)
    const topic = telegram.topic(forum)
    const ann = telegram.person('ann')
    const first = ann.writes(forum, 'first', { thread: topic })
    const rest = Array.from({ length: 30 }, (_, index) => ann.writes(forum, `more ${index}`, { thread: topic }))
    const reply = ann.writes(forum, 'reply', { replyTo: first.id, more: { message_thread_id: 7 } })
    const file = ann.writes(ann.direct(), 'with a file', { file: { name: 'notes.txt', content: 'some notes' } })
    await Promise.all([first, ...rest, reply, file].map(({ confirmed }) => confirmed))
    const messages = inbox.events.flatMap((event) => (event.kind === 'message' ? [event] : []))
    const inForum = messages.filter(({ chat }) => chat.id === forum)
    expect(inForum.map(({ text }) => text)).toEqual(['first', ...rest.map((_, index) => `more ${index}`), 'reply'])
    expect(inForum.slice(0, -1).every(({ thread, replyTo }) => thread === String(topic) && replyTo === null)).toBe(true)
    expect(inForum.at(-1)).toMatchObject({ thread: null, replyTo: String(first.id) })
    const direct = messages.find(({ chat }) => chat.isDirect)
    expect(direct).toMatchObject({ text: 'with a file', chat: { id: ann.handle, isGroup: false, name: 'ann' } })
    expect(direct?.files).toEqual([expect.objectContaining({ name: 'notes.txt', bytes: 10 })])
    const ref = direct!.files[0]!
    expect(await connection.fetchFile(ref, 100, never)).toEqual({ kind: 'file', bytes: Buffer.from('some notes') })
    expect(await connection.fetchFile(ref, 5, never)).toMatchObject({ kind: 'permanent' })
    expect(await connection.fetchFile({ ...ref, bytes: null }, 5, never)).toMatchObject({ kind: 'permanent' })
    telegram.fail({ method: 'file', raw: { status: 302, body: '' } })
    expect(await connection.fetchFile(ref, 100, never)).toMatchObject({ kind: 'transient' })
  })

  it('have the largest photo, sound and video as files, and links behind words written out', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group } = scene
    const file = (id: string, more: object = {}) => ({ file_id: id, file_unique_id: id, file_size: 5, ...more })
    const more = {
      photo: [file('small', { width: 90, height: 90 }), file('large', { width: 1280, height: 900 })],
      voice: file('v', { mime_type: 'audio/ogg' }),
      audio: file('a', { file_name: 'song.mp3' }),
      video: file('m'),
      caption: 'see here',
      text: undefined,
      entities: undefined,
      caption_entities: [{ type: 'text_link', offset: 4, length: 4, url: 'https://x.test/' }],
    }
    await telegram.person('ann').writes(group, '', { more }).confirmed
    expect(await inbox.first('message')).toMatchObject({
      text: 'see here (https://x.test/)',
      files: [
        { id: 'large', name: 'photo.jpg', mime: 'image/jpeg' },
        { id: 'a', name: 'song.mp3' },
        { id: 'v', name: 'voice.ogg', mime: 'audio/ogg' },
        { id: 'm', name: 'video.mp4' },
      ],
    })
  })

  it('of bots and chats, edits and notices are confirmed and left out', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group } = scene
    const ann = telegram.person('ann')
    const written = ann.writes(group, 'first')
    const { id: chat } = telegram.world.chats.get(Number(group))!.chat
    const message = { message_id: 900, date: 1, chat: { id: chat, type: 'supergroup' }, from: ann.user, text: 'x' }
    const others = [
      { message: { ...message, from: { ...ann.user, is_bot: true } } },
      { message: { ...message, from: undefined } },
      // An anonymous admin, or a channel: the account in `from` belongs to nobody.
      { message: { ...message, from: { id: 777000, is_bot: false, first_name: 'T' }, sender_chat: { id: chat } } },
      { message: { ...message, text: undefined, new_chat_title: 'new' } },
      { edited_message: { ...message, text: 'edited' } },
      { channel_post: message },
    ]
    await Promise.all([
      written.confirmed,
      ann.edits(group, written.id, 'second').confirmed,
      ...others.map((update) => telegram.deliver(update).confirmed),
    ])
    expect(textsOf(inbox.events)).toEqual(['first'])
    expect(inbox.events).toHaveLength(1)
    expect(telegram.callsOf('getUpdates')[0]?.args['allowed_updates']).toEqual([
      'message',
      'callback_query',
      'my_chat_member',
    ])
  })

  it('tell when we are added to a chat, removed from it or blocked', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group } = scene
    const ann = telegram.person('ann')
    const changes = [
      ann.makesUs(group, 'member', 'left'),
      ann.makesUs(group, 'administrator', 'member'),
      ann.makesUs(group, 'kicked', 'administrator'),
    ]
    await Promise.all(changes.map(({ confirmed }) => confirmed))
    await ann.makesUs(ann.direct(), 'kicked').confirmed
    expect(inbox.events).toMatchObject([
      { kind: 'joined', chat: { id: group }, by: { handle: ann.handle } },
      { kind: 'left', chat: { id: group } },
      { kind: 'left', chat: { id: ann.handle, isDirect: true } },
    ])
  })
})

describe('commands and clicks', () => {
  it.each([
    ['/signalbox start fix the <tests>', 'start fix the <tests>'],
    ['/signalbox', ''],
    ['/signalbox@Signalbox_Bot sessions', 'sessions'],
    ['/sessions@signalbox_bot', 'sessions'],
    ['/start', null],
    ['/signalbox@another_bot sessions', null],
    ['say /signalbox', null],
  ])('in a group: %s', async (text, expected) => {
    await using scene = await openScene()
    const { telegram, inbox, group } = scene
    await telegram.person('ann').writes(group, text).confirmed
    const [event] = inbox.events
    expect(event?.kind === 'command' ? event.text : null).toBe(expected)
    expect(event?.kind === 'message' ? event.text : null).toBe(expected === null ? text : null)
  })

  it.each([
    ['/start', 'help'],
    // By a link such as https://t.me/signalbox_bot?start=CODE.
    ['/start abc-123', 'link abc-123'],
    ['/sessions', 'sessions'],
    ['/stop 12', 'stop 12'],
  ])('in a direct chat: %s', async (text, expected) => {
    await using scene = await openScene()
    const { telegram, inbox } = scene
    const ann = telegram.person('ann')
    await ann.writes(ann.direct(), text).confirmed
    expect(inbox.events).toMatchObject([{ kind: 'command', text: expected, sender: { identity: `tg:${ann.id}` } }])
  })

  it('a click arrives with what answers it', async () => {
    await using scene = await openScene()
    const { telegram, inbox } = scene
    const forum = telegram.group('forum', 'supergroup', true)
    const thread = String(telegram.topic(forum))
    const messageId = await sendCard(scene, forum, thread)
    const ann = telegram.person('ann')
    await ann.clicks(forum, messageId, 'a:1:approve').confirmed
    const click = await inbox.first('click')
    expect(click).toMatchObject({
      chat: { id: forum, name: 'forum' },
      thread,
      messageId,
      sender: { handle: ann.handle },
      action: 'a:1:approve',
    })
    const to = { chat: forum, thread, handle: ann.handle, reply: click.reply }
    const toast = { kind: 'text' as const, text: 'Approved.' }
    expect(await scene.connection.privately(to, toast)).toEqual({ kind: 'sent', messageId: '' })
    expect(telegram.answers).toMatchObject([{ text: 'Approved.' }])
  })
})

async function sendCard({ connection }: Scene, chat: string, thread: string | null = null): Promise<string> {
  const buttons = [{ action: 'a:1:approve', label: 'Approve', style: 'primary' as const }]
  const card = { title: 'Run tests?', tone: 'waiting' as const, lines: [], buttons, footer: null, mention: null }
  const sent = await connection.send(outgoing(chat, { kind: 'card', card }, { thread }), never)
  if (sent.kind !== 'sent') throw new Error(sent.error)
  return sent.messageId
}

describe('hostile updates', () => {
  const message = {
    message_id: 1,
    date: 1,
    chat: { id: 5, type: 'private' },
    from: { id: 5, first_name: 'x' },
    text: 'x',
  }

  it.each([
    ['nothing in it', {}],
    ['a message that is not one', { message: [] }],
    ['a number as text', { message: { ...message, text: 5 } }],
    ['no chat', { message: { ...message, chat: undefined } }],
    ['an unknown kind of chat', { message: { ...message, chat: { id: 5, type: 'moon' } } }],
    ['a fraction as id', { message: { ...message, message_id: 1.5 } }],
    ['an id beyond all numbers', { message: { ...message, from: { id: 2 ** 60, first_name: 'x' } } }],
    ['a huge text', { message: { ...message, text: 'x'.repeat(300_000) } }],
    ['a time beyond all calendars', { message: { ...message, date: 10 ** 15 } }],
    ['thousands of entities', { message: { ...message, entities: Array.from({ length: 5000 }, () => ({})) } }],
    ['a click without data', { callback_query: { id: '1', from: message.from, message } }],
    ['a click by nobody', { callback_query: { id: '1', message, data: 'x' } }],
    ['a member without a status', { my_chat_member: { chat: message.chat, from: message.from, date: 1 } }],
  ])('with %s are confirmed and left out', async (_what, update) => {
    await using scene = await openScene()
    const { telegram, inbox } = scene
    await telegram.deliver(update).confirmed
    expect(inbox.deliveries).toEqual([])
    expect(scene.connection.health().state).toBe('connected')
  })

  it('and entities outside of the text do no harm', async () => {
    await using scene = await openScene()
    const { telegram, inbox, group } = scene
    const entities = [
      { type: 'mention', offset: 50, length: 1000 },
      { type: 'bot_command', offset: 0, length: 1000 },
      { type: 'text_link', offset: 2, length: 0, url: 'https://x.test' },
    ]
    await telegram.person('ann').writes(group, 'hello', { more: { entities } }).confirmed
    expect(inbox.events).toHaveLength(1)
  })

  it.each(['{', 'null', '{"ok":true}', '{"ok":true,"result":5}', '<html>', `{"ok":true,"result":${'['.repeat(9000)}`])(
    'an answer that is not Telegram’s is an error, not an end: %.30s',
    async (body) => {
      const clock = fakeClock()
      await using scene = await openScene({ clock })
      const { telegram, connection, group, inbox } = scene
      await until(() => telegram.updates.isPolled())
      telegram.fail({ method: 'getUpdates', raw: { status: 200, body } })
      telegram.person('ann').writes(group, 'hello')
      await until(() => connection.health().state === 'reconnecting')
      clock.advance(500)
      await until(() => connection.health().state === 'connected')
      expect(inbox.events).toHaveLength(1)
    },
  )
})

it('a path that leads elsewhere is not fetched', async () => {
  await using scene = await openScene()
  const { telegram, inbox, group, connection } = scene
  await telegram.person('ann').writes(group, '', { file: { name: 'a', content: 'x' } }).confirmed
  const { files } = await inbox.first('message')
  const stored = [...telegram.world.files.values()][0]!
  for (const path of [
    '../bot42:x/getMe',
    '/etc/passwd',
    'https://evil.test/x',
    'a//evil.test',
    'a?b',
    'a/../../b',
    '%2e%2e/a',
  ]) {
    stored.path = path
    expect(await connection.fetchFile(files[0]!, 100, never)).toMatchObject({ kind: 'permanent' })
  }
  expect(telegram.callsOf('file')).toEqual([])
  expect(escaped).toEqual([])
})
