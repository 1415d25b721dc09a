import type { PushAction, PushPayload, PushType } from '../../src/domain/push/payload.ts'

export type { PushAction, PushPayload }

const types: readonly string[] = ['needs_you', 'done', 'gone', 'test'] satisfies PushType[]
const actions: readonly string[] = ['approve', 'reject', 'continue', 'stop', 'open'] satisfies PushAction[]

const record = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
const text = (value: unknown, otherwise = ''): string => (typeof value === 'string' ? value : otherwise)
const isType = (value: unknown): value is PushType => typeof value === 'string' && types.includes(value)
const isAction = (value: unknown): value is PushAction => typeof value === 'string' && actions.includes(value)

/** The payload, or null if a newer server sends a kind this version does not know. */
export function readPayload(value: unknown): PushPayload | null {
  const said = record(value)
  if (!said || said['v'] !== 1 || !isType(said['type'])) return null
  const url = text(said['url'], '/')
  const offered = Array.isArray(said['actions']) ? said['actions'] : []
  return {
    v: 1,
    type: said['type'],
    tag: text(said['tag'], 'signalbox'),
    title: text(said['title'], 'Signalbox'),
    body: text(said['body']),
    // Only our own paths: a payload must not lead elsewhere.
    url: url.startsWith('/') && !url.startsWith('//') && !url.includes('\\') ? url : '/',
    ...(typeof said['askId'] === 'string' && { askId: said['askId'] }),
    actions: offered.flatMap((one) => {
      const { action, title } = record(one) ?? {}
      return isAction(action) ? [{ action, title: text(title, action) }] : []
    }),
    silent: said['silent'] === true,
    badge: typeof said['badge'] === 'number' && said['badge'] >= 0 ? Math.floor(said['badge']) : 0,
    at: text(said['at']),
  }
}
