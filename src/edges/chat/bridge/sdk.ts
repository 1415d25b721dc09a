/** The part of the Chat SDK (4.x) that is used. It is not a dependency: people who want an adapter install it. */

/** Declared as text; not every adapter keeps to it. */
type SdkId = string | number

export type SdkAuthor = {
  readonly userId: SdkId
  readonly userName?: string
  readonly fullName?: string
  readonly isBot?: boolean | 'unknown'
  readonly isMe?: boolean
}

export type SdkAttachment = {
  readonly type: string
  readonly name?: string
  readonly mimeType?: string
  readonly size?: number
  readonly url?: string
  readonly fetchMetadata?: Readonly<Record<string, string>>
  fetchData?(): Promise<Buffer | ArrayBuffer>
}

export type SdkMessage = {
  readonly id: SdkId
  readonly text: string
  readonly author: SdkAuthor
  readonly isMention?: boolean
  readonly attachments?: readonly SdkAttachment[]
  readonly metadata?: { readonly dateSent?: Date }
  readonly replyTo?: { readonly id?: SdkId }
}

export type SdkPost =
  | { readonly markdown: string; readonly files?: readonly { readonly data: Buffer; readonly filename: string }[] }
  | { readonly card: unknown; readonly fallbackText: string }

export type SdkAdapter = {
  readonly name: string
  readonly userName?: string
  readonly botUserId?: string
  initialize(chat: object): Promise<void>
  disconnect?(): Promise<void>
  handleWebhook(request: Request, options: { waitUntil(task: Promise<unknown>): void }): Promise<Response>
  channelIdFromThreadId?(threadId: string): string
  isDM?(threadId: string): boolean
  postMessage(threadId: string, message: SdkPost): Promise<{ readonly id: SdkId }>
  editMessage(threadId: string, messageId: string, message: SdkPost): Promise<unknown>
  addReaction(threadId: string, messageId: string, emoji: string): Promise<void>
  postEphemeral?(threadId: string, userId: string, message: SdkPost): Promise<{ readonly id: SdkId } | null>
  openDM?(userId: string): Promise<string>
  getUser?(userId: string): Promise<{ readonly fullName?: string; readonly userName?: string } | null>
  fetchChannelInfo?(channelId: string): Promise<{ readonly name?: string }>
  rehydrateAttachment?(attachment: SdkAttachment): SdkAttachment
  startTyping(threadId: string): Promise<void>
  resolveOutgoingMentions?(text: string): Promise<string>
}

export type SdkClick = {
  readonly actionId: string
  readonly messageId: SdkId
  readonly threadId: string
  readonly triggerId?: string
  readonly user: SdkAuthor
  readonly raw: unknown
}

export type SdkCommand = {
  readonly command: string
  readonly text: string
  readonly channelId: string
  readonly triggerId?: string
  readonly user: SdkAuthor
  readonly raw: unknown
}
