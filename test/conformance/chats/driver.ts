/** A message of ours, as people see it on a platform. */
export type Shown = {
  readonly id: string
  readonly text: string
  readonly buttons: readonly { readonly label: string; readonly action: string }[]
  readonly files: readonly string[]
}

/** Someone in the emulated workspace. */
export type Speaker = {
  readonly name: string
  /** As in `user_identities`. */
  readonly identity: string
  /** Writes to the chat with a mention of our bot; in the conversation that began with `under`, if given. The message's id. */
  mentions(text: string, under?: string): string
  /** Without a mention. */
  says(text: string, under?: string): string
  clicks(message: Shown, label: string): void
  commands(text: string): void
  /** What only this person was shown. */
  toldPrivately(): string[]
}

/** An emulated platform on loopback, driven as its people would. */
export type ChatDriver = AsyncDisposable & {
  readonly platform: string
  readonly credentials: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
  /** The platform's id of the group chat that everyone is in. */
  readonly chat: string
  person(name: string): Speaker
  /** What we posted in the conversation that began with this message, oldest first. */
  posted(root: string): Shown[]
  /** The next sends fail: told to wait, or the answer is lost after the message arrived. */
  fail(how: 'wait' | 'lost', times: number): void
  /** Resolves when the next message has arrived; its answer comes to us when `released` resolves. */
  answerLate(released: Promise<unknown>): Promise<void>
  /** Breaks the connection for events; it is made again by us. */
  drop(): void
  /** Calls that sent something, for "once". */
  sends(): number
}
