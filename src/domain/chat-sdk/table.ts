/** What adapters of the Chat SDK remember. Times are in milliseconds since 1970. */
export type ChatSdkTables = {
  chat_sdk_kv: { key: string; value: string; expires_at: number | null }
  chat_sdk_subscriptions: { thread_id: string; subscribed_at: string }
  chat_sdk_locks: { thread_id: string; token: string; expires_at: number }
  chat_sdk_lists: { key: string; idx: number; value: string; expires_at: number | null }
}
