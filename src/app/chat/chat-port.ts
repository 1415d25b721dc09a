import type { ChatInstanceId, MessagingGroupId } from '../../domain/chat/id.ts'
import type { Json } from '../../lib/json.ts'
import type { AgentGroupId, UserId } from '../../domain/user/id.ts'
import type { Result } from '../../lib/result.ts'

/** One credential that people enter. */
export type CredentialField = {
  readonly name: string
  readonly label: string
  readonly secret: boolean
  readonly required: boolean
  /** Where people find it. */
  readonly hint: string
}

export type PlatformInfo = {
  readonly name: string
  readonly title: string
  /** `at_least_once`: a message in doubt may arrive twice, and is marked. */
  readonly delivery: 'once' | 'at_least_once'
  /** What to do on the platform’s own pages first. */
  readonly steps: readonly string[]
  readonly fields: readonly CredentialField[]
  /** The app's description to paste into the platform; null if it has none. */
  readonly manifest: string | null
}

/** Who we are on a platform, and what works less well than it could. */
export type CheckedCredentials = {
  readonly self: { readonly handle: string; readonly name: string; readonly workspace: string | null }
  /** The platform's id of the workspace, where ids of people are those of a workspace. */
  readonly workspaceId?: string | null
  readonly warnings: readonly string[]
}

/** The most that a platform sends in one request. */
export const mostWebhookBytes = 1_000_000

/** A request of a platform to us. Header names are in lower case; signatures are over the exact bytes. */
export type WebhookRequest = {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** What follows the question mark of the address; some platforms confirm a webhook with it. */
  readonly query?: string
  readonly body: Buffer
}
export type WebhookAnswer = { readonly status: number; readonly body: string; readonly contentType: string }

/** The chat of the dashboard. Callers have checked that this person may write to this agent group. */
export type WebChatPort = {
  sayOnWeb(userId: UserId, agentGroupId: AgentGroupId, said: { id: string; text: string }): Promise<Result<void>>
  pressOnWeb(
    userId: UserId,
    agentGroupId: AgentGroupId,
    pressed: { messageId: string; action: string },
  ): Promise<Result<void>>
}

/** What the chat edge offers to the rest of the server. */
export type ChatPort = WebChatPort & {
  /** Those with an adapter of our own. */
  platforms(): Promise<readonly PlatformInfo[]>
  /** With `package` in the settings, a platform behind the bridge. */
  platform(name: string, settings: Readonly<Record<string, Json>>): Promise<PlatformInfo | null>
  /** Asks the platform who we are there, and what we are allowed to do. */
  check(
    platform: string,
    credentials: Readonly<Record<string, string>>,
    settings: Readonly<Record<string, Json>>,
  ): Promise<Result<CheckedCredentials>>
  /** The same with the stored credentials of an instance. */
  checkInstance(id: ChatInstanceId): Promise<Result<CheckedCredentials>>
  /** Encrypts credentials for `instance.add` and `instance.update`. */
  seal(credentials: Readonly<Record<string, string>>, id: ChatInstanceId): Promise<Result<string>>
  /** Posts a test message to a chat, through the outbox; whether its account is connected to send it now. */
  test(chatId: MessagingGroupId): Promise<Result<{ readonly isConnected: boolean }>>
  /** Null if no such instance or path exists. */
  webhook(id: ChatInstanceId, path: string, request: WebhookRequest): Promise<WebhookAnswer | null>
}
