import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import type { Chat } from '../../../src/domain/chat/schema.ts'
import { safeText } from '../../ui/safe-text.ts'
import { platformTitle } from './words.ts'

export const nameOfGroup = (groups: readonly AgentGroup[] | undefined, id: string): string =>
  safeText(groups?.find((group) => group.id === id)?.name ?? 'another agent group')

/** Who listens in a chat. */
export const namesOfListeners = (
  groups: readonly AgentGroup[] | undefined,
  wirings: readonly { readonly agentGroupId: string }[],
): string =>
  wirings.length === 0
    ? 'No agent group'
    : wirings.map(({ agentGroupId }) => nameOfGroup(groups, agentGroupId)).join(', ')

/** Slack, or its title if there are several of them. */
export const nameOfInstance = ({ title, platform }: Pick<ChatInstance, 'title' | 'platform'>): string =>
  safeText(title.toLowerCase() === platform ? platformTitle(platform) : title)

/** What people call a chat; its id on the platform if it has no name. */
export const nameOfChat = ({ name, platformId, isGroup }: Pick<Chat, 'name' | 'platformId' | 'isGroup'>): string =>
  `${safeText(name ?? platformId)}${isGroup ? '' : ' (direct)'}`
