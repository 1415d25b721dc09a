import * as z from 'zod'
import type { App } from '../../../app/app.ts'
import type { Posts } from '../../../app/chat/posts.ts'
import { identityOf } from '../../../app/chat/identities.ts'
import type { ChatInstance } from '../../../domain/chat-instance/schema.ts'
import type { Guard } from '../../../app/follow.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { ChatSender, Endpoints, Incoming, InstanceDeps, Platform } from '../adapter.ts'
import type { Platforms } from '../platforms.ts'
import type { Seal } from '../seal.ts'
import { createLocalChat } from '../web/local-chat.ts'

export type HostDeps = {
  app: App
  /** A fault if there is no key for the stored credentials. */
  seal: Result<Seal>
  platforms: Platforms
  clock: Clock
  log: Logger
  nodeId: string
  posts: Posts
}

/** Another address of the platform's API, for proxies and tests. */
const Settings = z.looseObject({ api: z.url({ protocol: /^https?$/ }).optional() })

export const endpointsOf = (platform: Platform, settings: ChatInstance['settings']): Endpoints => {
  const api = Settings.safeParse(settings).data?.api
  return api === undefined ? platform.defaultEndpoints : { ...platform.defaultEndpoints, api }
}

/**
 * Events of one lane are handled one by one: all of a thread, or of a chat without threads. A message that may open a
 * thread is in the lane of that thread. Clicks and commands wait for nobody.
 */
export function laneOf(platform: Platform, instanceId: string, event: Incoming): string {
  if (event.kind !== 'message') return `${instanceId}/${event.kind}/${event.key}`
  const { chat, thread, messageId } = event
  const opens = platform.opensThreads && chat.isGroup ? messageId : ''
  return `${instanceId}/${chat.id}/${thread ?? opens}`
}

/** An event of an instance, with its people as we know them. An adapter does not know which instance it is. */
export function ofInstance<E extends Incoming>(platform: Platform, instance: ChatInstance, event: E): E {
  const people = { instance, idPrefix: platform.idPrefix, ids: platform.ids }
  const known = <S extends ChatSender>(sender: S): S => ({ ...sender, identity: identityOf(people, sender.handle) })
  if ('sender' in event) return { ...event, sender: known(event.sender) }
  return event.kind === 'joined' && event.by ? { ...event, by: known(event.by) } : event
}

/** What an adapter gets: its credentials, and where its events go. */
export async function instanceDeps(
  { app, seal, clock, log, posts }: HostDeps,
  { instance, platform }: { instance: ChatInstance; platform: Platform },
  took: () => void,
  { guard, gate }: { guard?: Guard; gate?: Promise<void> } = {},
): Promise<Result<InstanceDeps & { cursor: Json | null }>> {
  const stored = await app.chat.instances.connecting(instance.id)
  if (!stored) return fail(removed)
  if (!seal.ok) return seal
  const credentials = seal.value.open(stored.credentials, instance.id)
  if (!credentials.ok) return credentials
  return ok({
    instance,
    credentials: credentials.value,
    endpoints: endpointsOf(platform, instance.settings),
    cursor: stored.cursor,
    receiver: {
      async take(received, cursor) {
        const event = ofInstance(platform, instance, received)
        const lane = laneOf(platform, instance.id, event)
        if (event.kind === 'message') await gate
        await app.chat.inbox.add({ instanceId: instance.id, lane, event, cursor }, iso(clock.now()), guard)
        took()
      },
      mark: (cursor) => app.chat.instances.setCursor(instance.id, cursor),
    },
    local: createLocalChat({ app, posts }, instance),
    clock,
    log: log.child({ instance: instance.name }),
  })
}

const removed = { kind: 'not_found' as const, code: 'instance_not_found', message: 'The account was removed.' }
