import { anyJson, isRecord, parseJson } from '../../lib/parse-json.ts'

type Fields = Readonly<Record<string, unknown>>
export type Id = string | number

/** A JSON-RPC message with its original text, which is what is passed on. */
export type RpcMessage =
  | {
      readonly kind: 'request'
      readonly text: string
      readonly id: Id
      readonly method: string
      readonly params: Fields
    }
  | { readonly kind: 'notification'; readonly text: string; readonly method: string; readonly params: Fields }
  | { readonly kind: 'response'; readonly text: string; readonly id: Id | null }
export type Request = Extract<RpcMessage, { kind: 'request' }>
/** A message without a response. */
export type Statement = Exclude<RpcMessage, Request>

export const rpc = { parse: -32700, invalid: -32600, noMethod: -32601, failed: -32000 } as const

const isId = (value: unknown): value is Id => typeof value === 'string' || typeof value === 'number'

/** The messages of one line, which may be a batch, or an error. */
export function readMessages(line: string): { messages: RpcMessage[] } | { code: number; message: string } {
  const read = parseJson(line, anyJson)
  if (!read.ok)
    return { code: rpc.parse, message: 'Parse error: this line is not JSON. Each message is one line of JSON.' }
  const { value } = read
  // A batch is split: each of its calls may be held for hours.
  const values: unknown[] = Array.isArray(value) ? value : [value]
  const messages = values.map((one) => readMessage(one, values.length === 1 && !Array.isArray(value) ? line : null))
  if (messages.length > 0 && messages.every((message) => message !== null)) return { messages }
  return {
    code: rpc.invalid,
    message: 'Invalid request: a message needs a method, or an id with a result or an error.',
  }
}

export function readMessage(value: unknown, line: string | null): RpcMessage | null {
  if (!isRecord(value)) return null
  const text = oneLine(line ?? JSON.stringify(value))
  const { id, method } = value
  const params = isRecord(value['params']) ? value['params'] : {}
  if (typeof method === 'string') {
    if (isId(id)) return { kind: 'request', text, id, method, params }
    return id === undefined ? { kind: 'notification', text, method, params } : null
  }
  const isResponse = 'result' in value || 'error' in value
  return isResponse ? { kind: 'response', text, id: isId(id) ? id : null } : null
}

/** In JSON, line breaks occur only between tokens, where a space is equivalent. */
const oneLine = (text: string): string => (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, ' ') : text)

export function errorText(id: Id | null, code: number, message: string, data?: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: data === undefined ? { code, message } : { code, message, data } })
}
