import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import type { Chat } from '../../../src/domain/chat/schema.ts'
import { safeText } from '../../ui/safe-text.ts'
import { platformTitle } from './words.ts'

export const nameOfGroup = (groups: readonly AgentGroup[] | undefined, id: string): string =>
  safeText(groups?.find((group) => group.id === id)?.name ?? 'another agent group')

/** Slack, or its title if there are several of them. */
export const nameOfInstance = ({ title, platform }: Pick<ChatInstance, 'title' | 'platform'>): string =>
  safeText(title.toLowerCase() === platform ? platformTitle(platform) : title)

/** What people call a chat; its id on the platform if it has no name. */
export const nameOfChat = ({ name, platformId }: Pick<Chat, 'name' | 'platformId'>): string =>
  safeText(name ?? platformId)
