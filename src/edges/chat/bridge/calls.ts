import type { Incoming } from '../adapter.ts'
import type { Json } from '../../../lib/json.ts'

/** What the thread of an adapter is started with. */
export type HostOptions = {
  /** The file of the adapter's package. */
  readonly file: string
  /** The function that makes the adapter; null: the only one that is called `create…Adapter`. */
  readonly factory: string | null
  readonly config: Readonly<Record<string, Json>>
  readonly idPrefix: string
}

export type Post = {
  readonly markdown: string
  readonly buttons: readonly { readonly action: string; readonly label: string; readonly style: string }[]
  readonly file: { readonly name: string; readonly bytes: Uint8Array } | null
}

export type Place = { readonly chat: string; readonly thread: string | null }

/** What the server calls in the thread. */
export type HostCalls = {
  /** Loads the adapter and makes it; nothing is connected yet. */
  open(): Promise<{ userName: string; userId: string | null }>
  /** Starts to receive. `knowsItself`: false if the adapter should know its own id, and does not. */
  listen(): Promise<{ knowsItself: boolean; trouble: string | null }>
  post(place: Place, post: Post): Promise<string>
  edit(place: Place, messageId: string, post: Post): Promise<void>
  react(place: Place, messageId: string, emoji: string): Promise<void>
  /** The id of the message; null if the adapter has no private messages. */
  postPrivately(place: Place, handle: string, post: Post): Promise<string | null>
  openDirect(handle: string): Promise<string | null>
  nameOfPerson(handle: string): Promise<string | null>
  nameOfChat(chat: string): Promise<string | null>
  fetchFile(ref: string): Promise<Uint8Array | null>
  webhook(request: {
    method: string
    headers: Record<string, string>
    query: string
    body: Uint8Array
  }): Promise<{ status: number; body: string; contentType: string }>
  close(): Promise<void>
}

/** What the thread calls in the server. */
export type ServerCalls = {
  take(event: Incoming): Promise<void>
  state(method: string, args: readonly unknown[]): Promise<unknown>
  log(level: 'warn' | 'error', message: string, error: string | null): Promise<void>
}
