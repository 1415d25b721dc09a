import { yieldToOthers } from '../../lib/yield-to-others.ts'

/** Longer lists are written in chunks, so that serializing them does not block other requests. */
const long = 500

const isLong = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > long

/** A long list, or an object that contains one. */
export const hasLongList = (value: unknown): value is object =>
  isLong(value) || (typeof value === 'object' && value !== null && Object.values(value).some(isLong))

/** The same text as `JSON.stringify(value, null, indent)`. */
export async function* jsonChunks(value: object, indent = 0): AsyncGenerator<string> {
  if (isLong(value)) yield* listChunks(value, indent, 0)
  else yield* objectChunks(value, indent)
}

async function* objectChunks(value: object, indent: number): AsyncGenerator<string> {
  const line = lineOf(indent, 1)
  let first = true
  yield '{'
  for (const [name, part] of Object.entries(value)) {
    if (part === undefined) continue
    yield `${first ? '' : ','}${line}${JSON.stringify(name)}:${indent > 0 ? ' ' : ''}`
    first = false
    if (isLong(part)) yield* listChunks(part, indent, 1)
    else yield indented(part, indent, 1)
  }
  yield `${first ? '' : lineOf(indent, 0)}}`
}

async function* listChunks(list: readonly unknown[], indent: number, depth: number): AsyncGenerator<string> {
  const line = lineOf(indent, depth + 1)
  yield '['
  for (let from = 0; from < list.length; from += chunkSize) {
    const part = list.slice(from, from + chunkSize).map((one) => indented(one ?? null, indent, depth + 1))
    yield `${from === 0 ? '' : ','}${line}${part.join(`,${line}`)}`
    await yieldToOthers()
  }
  yield `${lineOf(indent, depth)}]`
}

const chunkSize = 100
const lineOf = (indent: number, depth: number): string => (indent > 0 ? `\n${' '.repeat(indent * depth)}` : '')
const indented = (value: unknown, indent: number, depth: number): string =>
  JSON.stringify(value, null, indent).replaceAll('\n', lineOf(indent, depth))

/** At the speed of the reader. */
export function streamOf(pieces: AsyncIterator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(Buffer.from(value))
    },
    async cancel() {
      await pieces.return?.()
    },
  })
}
