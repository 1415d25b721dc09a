/** A message of ours, as people see it on a platform. */
export type Shown = {
  readonly id: string
  readonly chat: string
  readonly text: string
  readonly buttons: readonly { readonly label: string; readonly action: string }[]
  readonly files: readonly string[]
}

/** Someone in the emulated workspace. */
export type Speaker = {
  readonly name: string
  /** As in `user_identities`. */
  readonly identity: string
  /**
   * Writes to the chat, or to another one, with a mention of our bot; in the conversation that began with `under`, if
   * given. The message's id.
   */
  mentions(text: string, under?: string, chat?: string): string
  /** The same, with files: their names and contents. On Telegram one message for each. */
  sends(text: string, files: Readonly<Record<string, string>>, under?: string): string
  /** Without a mention. */
  says(text: string, under?: string): string
  /** The same, while the platform can't tell us of it: by the history alone, or when we ask again. */
  saysUnheard(text: string, under: string): void
  clicks(message: Shown, label: string): void
  /** Fills in the form that a click opened, and submits it; nothing where the platform has no forms. */
  fills(text: string): Promise<void>
  commands(text: string): void
  /** What only this person was shown. */
  toldPrivately(): string[]
  /** Presses the first button with this label of what only they were shown last. */
  picks(label: RegExp): Promise<void>
  /** What we posted in the chat between us and this person. */
  direct(): Shown[]
}

export type Trouble = 'hangs' | 'waits' | 'breaks'

/** An emulated platform on loopback, driven as its people would. */
export type ChatDriver = AsyncDisposable & {
  readonly platform: string
  readonly credentials: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  /** The platform's id of the group chat that everyone is in. */
  readonly chat: string
  person(name: string): Speaker
  /** Another group chat with our bot in it. */
  another(name: string): string
  /** What we posted in the conversation that began with this message, oldest first. */
  posted(root: string, chat?: string): Shown[]
  /** What we posted to the chat, outside conversations. */
  inChat(): Shown[]
  /** Our token works no longer. */
  revoke(): void
  /** Credentials that work after that. */
  renew(): Readonly<Record<string, string>>
  /** The next sends fail: told to wait, or the answer is lost after the message arrived. */
  fail(how: 'wait' | 'lost', times: number): void
  /**
   * From now on nothing that we say in this chat gets an answer, or every call is told to wait, or its connection breaks.
   * Until the returned function is called.
   */
  trouble(chat: string, how: Trouble): () => void
  /** Resolves when the next message has arrived; its answer comes to us when `released` resolves. */
  answerLate(released: Promise<unknown>): Promise<void>
  /** How many events of people we have not acknowledged yet. */
  unacknowledged(): number
  /** From now on our acknowledgements do not arrive, until the returned function is called. */
  loseAcknowledgements(): () => void
  /** Breaks the connection for events; it is made again by us. */
  drop(): void
  /** The contents of the files that we sent. */
  fileContents(): string[]
  /** What we reacted with, anywhere. */
  reactions(): string[]
  /** Calls that fetched a file that somebody sent. */
  fetches(): number
  /** Calls that sent something, for "once". */
  sends(): number
  /** Calls that opened a direct chat; none where bots can't. */
  directsOpened(): number
}

/** How each kind of trouble looks to an emulated platform. */
export const troubles = <Limited extends object>(healed: Promise<void>, limited: Limited) => ({
  hangs: { hold: healed },
  waits: limited,
  breaks: { drop: 'before' as const },
})
