import { describe, expect, it } from 'vitest'
import '../../../../test/support/chats/loopback-guard.ts'
import { systemClock } from '../../../lib/clock.ts'
import { silentLogger } from '../../../lib/log.ts'
import type { Card } from '../adapter.ts'
import { web } from './platform.ts'

const stop = new AbortController().signal
const chat = 'u/g'
const message = { key: 'k1', chat, thread: null, replyTo: null, rendered: { body: null, file: null }, prepared: null }

function opened() {
  const changed: string[] = []
  const added: unknown[] = []
  const connection = web.connect({
    instance: { id: 'i', name: 'web' },
    credentials: {},
    endpoints: { api: '' },
    receiver: { take: async () => undefined },
    local: {
      changed: (id) => void changed.push(id),
      async add(id, content) {
        added.push({ id, content })
        return { kind: 'sent', messageId: 'm' }
      },
    },
    clock: systemClock,
    log: silentLogger,
    cursor: null,
  })
  return { connection, changed, added }
}

describe('the web chat as a platform', () => {
  it('C4 a message, an edit and a reaction arrive at once, and open pages are told', async () => {
    const { connection, changed } = opened()
    await using _ = connection
    expect(connection.health().state).toBe('connected')
    expect(await connection.send(message, stop)).toEqual({ kind: 'sent', messageId: 'k1' })
    const place = { chat, thread: null, messageId: 'k1' }
    expect(await connection.edit(place, message, stop)).toEqual({ kind: 'sent', messageId: 'k1' })
    expect(await connection.react(place, '✅', stop)).toEqual({ kind: 'sent', messageId: 'k1' })
    expect(changed).toEqual([chat, chat, chat])
  })

  it('C4 a message in doubt was stored before, so it is found', async () => {
    await using connection = opened().connection
    expect(await connection.find(message, { after: null, since: 0 }, stop)).toEqual({ kind: 'found', messageId: 'k1' })
  })

  it('C5 a private answer is stored in the chat of its one reader', async () => {
    const { connection, added } = opened()
    await using _ = connection
    const content = { kind: 'text' as const, text: 'Help' }
    await connection.privately({ chat, thread: null, handle: 'u' }, content)
    expect(added).toEqual([{ id: chat, content }])
  })

  it('C5 cards stay data: nothing is escaped, cut or split', () => {
    const card: Card = {
      title: '<b>&',
      tone: 'waiting',
      lines: [
        { kind: 'diff', text: '+x\n'.repeat(500) },
        { kind: 'fields', fields: [['a', 'b']] },
      ],
      buttons: [{ action: 'ask:1:approve', label: 'Approve', style: 'primary' }],
      footer: null,
      mention: 'U1',
    }
    const { mention: _mention, ...shown } = card
    expect(web.render({ kind: 'card', card })).toEqual([{ body: { kind: 'card', card: shown }, file: null }])
    const bytes = Buffer.from('x')
    expect(web.render({ kind: 'file', name: 'a.txt', bytes, text: null })).toEqual([
      { body: { kind: 'file', text: null }, file: { name: 'a.txt', bytes } },
    ])
  })
})
