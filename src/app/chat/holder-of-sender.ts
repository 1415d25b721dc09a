import type { ChatSender } from '../../domain/chat/incoming.ts'
import { userOfWebIdentity, webPlatform } from '../../domain/chat/web-chat.ts'
import type { UserId } from '../../domain/user/id.ts'
import { holderOf } from '../../domain/user/store.ts'
import type { Executor } from '../../db/open.ts'

/** The person who wrote; null for a stranger. Only the web chat names people by their own ids. */
export async function holderOfSender(
  db: Executor,
  platform: string,
  { identity }: Pick<ChatSender, 'identity'>,
): Promise<UserId | null> {
  const userId = userOfWebIdentity(identity)
  if (platform === webPlatform) return userId
  return userId === null ? holderOf(db, [identity]) : null
}
