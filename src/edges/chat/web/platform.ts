import { webPlatform } from '../../../domain/chat/web-chat.ts'
import type { Connection, Failure, InstanceDeps, Platform } from '../adapter.ts'
import { renderWeb } from './content.ts'

const notHere: Failure = { kind: 'permanent', error: 'the web chat does not support this' }

/** Messages are in our own tables, so that sending only tells open pages to read them again. */
function connectWeb({ local, clock }: InstanceDeps): Connection {
  if (!local) throw new Error('the web chat needs the server that it is part of')
  const since = clock.now()
  let isOpen = true
  return {
    health: () => ({ state: isOpen ? 'connected' : 'stopped', since, error: null }),
    async send({ chat, key }) {
      local.changed(chat)
      return { kind: 'sent', messageId: key }
    },
    // It was stored before it was sent.
    find: async ({ key }) => ({ kind: 'found', messageId: key }),
    async edit({ chat, messageId }) {
      local.changed(chat)
      return { kind: 'sent', messageId }
    },
    async react({ chat, messageId }) {
      local.changed(chat)
      return { kind: 'sent', messageId }
    },
    // One person reads this chat, and finds the answer after a reload too.
    privately: ({ chat }, content) => local.add(chat, content),
    openDirect: async () => notHere,
    fetchFile: async () => notHere,
    missed: async () => ({ kind: 'read', events: [], more: false }),
    async [Symbol.asyncDispose]() {
      isOpen = false
    },
  }
}

/** The chat of the dashboard, behind the same contract as all others. */
export const web: Platform = {
  name: webPlatform,
  title: 'Web chat',
  idPrefix: 'user',
  ids: 'global',
  delivery: 'once',
  oneAtATimePer: 'chat',
  opensThreads: false,
  limits: { text: 1_000_000, buttons: 100, fileBytes: 10_000_000 },
  steps: [],
  fields: [],
  defaultEndpoints: { api: '' },
  check: async () => ({ ok: true, self: { handle: 'signalbox', name: 'Signalbox', workspace: null }, warnings: [] }),
  connect: connectWeb,
  render: renderWeb,
}
