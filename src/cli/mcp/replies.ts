import type { IncomingMessage } from 'node:http'
import { linesOf } from './lines.ts'
import { readMessage, type RpcMessage } from './messages.ts'
import { anyJson, isRecord, jsonOrNull, ownJson } from '../../lib/parse-json.ts'

/** Signalbox sends far less. */
const mostBytes = 64 * 1024 * 1024
const mostErrorBytes = 1024 * 1024
const silenceMs = 90_000

/** The messages of a response: one document or a stream of events. `onId` gets the id of each event. */
export async function* messagesOf(answer: IncomingMessage, onId?: (id: string) => void): AsyncGenerator<RpcMessage> {
  const type = answer.headers['content-type'] ?? ''
  if (!type.startsWith('text/event-stream')) {
    const text = await textOf(answer, mostBytes)
    const value: unknown = text.trim() === '' ? [] : ownJson(text, 'The answer', anyJson)
    const isBatch = Array.isArray(value)
    for (const one of isBatch ? value : [value]) {
      const message = readMessage(one, isBatch ? null : text)
      if (message) yield message
    }
    return
  }
  // A running server sends a keep-alive every few seconds.
  answer.setTimeout(silenceMs, () => answer.destroy(new Error('The server stopped responding.')))
  let data: string[] = []
  // Do not destroy the stream after the last message: that would look like a disconnect.
  for await (const line of linesOf(answer.iterator({ destroyOnReturn: false }), mostBytes)) {
    if (line === null) throw new Error('The server sent a message larger than 64 MB.')
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    else if (line.startsWith('id:')) onId?.(line.slice(3).trim())
    else if (line === '') {
      const text = data.join('\n')
      data = []
      const message = text.trim() === '' ? null : readMessage(ownJson(text, 'The answer', anyJson), text)
      if (message) yield message
    }
  }
}

async function textOf(answer: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    if (bytes <= most) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

export type RpcRefusal = {
  readonly status: number
  readonly code: number | null
  readonly message: string
  readonly data: unknown
}

/** Why a message was refused: the JSON-RPC error, or the error of our API. */
export async function refusalOf(answer: IncomingMessage): Promise<RpcRefusal> {
  const status = answer.statusCode ?? 0
  const text = await textOf(answer, mostErrorBytes)
  const error = jsonOrNull(text, isRecord)?.['error']
  if (!isRecord(error))
    return {
      status,
      code: null,
      message: `The server answered ${status}, but it is not Signalbox.`,
      data: { status },
    }
  const { code, message, data } = error
  if (typeof code === 'number') return { status, code, message: String(message), data }
  const hint = typeof error['hint'] === 'string' ? ` ${error['hint']}` : ''
  return { status, code: null, message: `${String(message)}${hint}`, data: { status, code } }
}
