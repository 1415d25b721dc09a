import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import type { ChatInstance } from '../../domain/chat-instance/schema.ts'
import type { Context } from '../context.ts'

const waitMs = 30_000
const lookEveryMs = 300

const isSettled = ({ wanted, state }: ChatInstance): boolean =>
  wanted === 'stopped' ? state === 'stopped' : state === 'connected' || state === 'refused'

/** Until it is connected, refused, or stopped if that is wanted; after 30 seconds as it is. */
export async function waitForInstance(client: Client, id: ChatInstance['id'], context: Context): Promise<ChatInstance> {
  const end = context.now() + waitMs
  for (;;) {
    const instance = await client.getChatInstance({ params: { id } })
    if (isSettled(instance) || context.now() > end) return instance
    await delay(lookEveryMs)
  }
}
