import type { ChatPort, PlatformInfo } from '../../../app/chat/chat-port.ts'
import type { ChatInstanceId } from '../../../domain/chat-instance/schema.ts'
import { newId } from '../../../lib/id.ts'
import { fail, notFound, ok, type Result } from '../../../lib/result.ts'
import type { Credentials, Platform } from '../adapter.ts'
import { webPlatform } from '../../../domain/chat/web-chat.ts'
import { createWebChat } from '../web/web-chat.ts'
import { endpointsOf, instanceDeps, type HostDeps } from './instance-deps.ts'

const checkMs = 20_000

/** What the rest of the server may ask of chats. */
export function createChatPort(deps: HostDeps & { took(): void }): ChatPort {
  const { app, seal, posts, platforms } = deps

  async function checked(platform: Platform, credentials: Credentials, settings: Parameters<typeof endpointsOf>[1]) {
    const stop = AbortSignal.timeout(checkMs)
    const answer = await platform.check(credentials, endpointsOf(platform, settings), stop)
    if (answer.ok) return ok({ self: answer.self, workspaceId: answer.workspaceId ?? null, warnings: answer.warnings })
    const { message, hint, missing } = answer
    return fail({ kind: 'invalid', code: 'credentials_refused', message, hint, details: { missing: [...missing] } })
  }

  async function instanceAt(id: ChatInstanceId) {
    const instance = await app.chat.instances.get(id)
    const platform = instance && instance.removedAt === null ? await platforms.of(instance) : null
    return instance && platform ? { instance, platform } : null
  }

  return {
    ...createWebChat(deps),
    async platform(name, settings) {
      // It is built in: nobody adds another one.
      if (name === webPlatform) return null
      const found = await platforms.of({ platform: name, title: name, settings })
      return found && infoOf(found)
    },
    async platforms() {
      const all = await Promise.all(platforms.names.map(platforms.named))
      return all.flatMap((one) => (one ? [infoOf(one)] : []))
    },
    async check(name, credentials, settings) {
      const platform = await platforms.of({ platform: name, title: name, settings })
      return platform ? checked(platform, credentials, settings) : notFound('platform', name)
    },
    async checkInstance(id) {
      const found = await instanceAt(id)
      const stored = found && (await app.chat.instances.connecting(id))
      if (!found || !stored) return notFound('instance', id)
      if (!seal.ok) return seal
      const credentials = seal.value.open(stored.credentials, id)
      return credentials.ok ? checked(found.platform, credentials.value, found.instance.settings) : credentials
    },
    seal: async (credentials, id) => (seal.ok ? ok(seal.value.seal(credentials, id)) : seal),
    async test(chatId): Promise<Result<{ isConnected: boolean }>> {
      const content = { kind: 'text' as const, text: 'This is a test message from Signalbox.' }
      const subject = { kind: 'test', id: newId() }
      const put = await posts.put({ chatId, thread: null, sessionId: null, subject, content })
      if (!put.ok) return put
      const instanceId = put.value[0]?.instanceId
      const instance = instanceId && (await app.chat.instances.get(instanceId))
      return ok({ isConnected: instance?.state === 'connected' })
    },
    async webhook(id, path, request) {
      const found = await instanceAt(id)
      const route = found?.platform.routes?.find((one) => one.path === path)
      if (!found || !route || found.instance.wanted !== 'running') return null
      const made = await instanceDeps(deps, found, deps.took)
      return made.ok ? route.handle(request, made.value) : null
    },
  }
}

const infoOf = ({ name, title, delivery, steps, fields, manifest }: Platform): PlatformInfo => ({
  name,
  title,
  delivery,
  steps,
  fields,
  manifest: manifest ?? null,
})
