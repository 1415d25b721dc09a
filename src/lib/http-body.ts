import { fail, ok, type Failed, type Result } from './result.ts'

/** The body. Refused, and not read further, once it exceeds the limit. */
export async function readBytes(request: Request, limit: number): Promise<Result<Uint8Array>> {
  const declared = request.headers.get('content-length')
  try {
    // Node accepts no more than the declared length, and a body read at once needs no stream.
    if (declared !== null && Number(declared) <= limit) return ok(new Uint8Array(await request.arrayBuffer()))
    return await readChunks(request, limit, Number(declared ?? 0))
  } catch {
    return fail({ kind: 'invalid', code: 'body_incomplete', message: 'The connection ended before the body did.' })
  }
}

/** The body as text. */
export async function readBody(request: Request, limit: number): Promise<Result<string>> {
  const read = await readBytes(request, limit)
  if (!read.ok) return read
  try {
    return ok(utf8.decode(read.value))
  } catch {
    return fail({ kind: 'invalid', code: 'invalid_utf8', message: 'The body is not valid UTF-8.' })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readChunks({ body }: Request, limit: number, declared: number): Promise<Result<Uint8Array>> {
  if (!body) return ok(new Uint8Array())
  const reader = body.getReader()
  if (declared > limit) return refuseLarge(reader, limit)
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return ok(Buffer.concat(chunks))
    size += value.byteLength
    if (size > limit) return refuseLarge(reader, limit)
    chunks.push(value)
  }
}

/**
 * Reads and discards the rest of the body for a while: a client cut off mid-send would not see our answer. A client that
 * stalls or never ends is cut off anyway.
 */
async function refuseLarge(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<Failed> {
  let left = 128 * 1024 * 1024
  let silent: NodeJS.Timeout | undefined
  const end = setTimeout(() => void reader.cancel().catch(() => {}), 5000)
  try {
    while (left > 0) {
      clearTimeout(silent)
      silent = setTimeout(() => void reader.cancel().catch(() => {}), 500)
      const { done, value } = await reader.read()
      if (done) break
      left -= value.byteLength
    }
    if (left <= 0) await reader.cancel()
  } catch {
    // The client is gone, and its body with it.
  } finally {
    clearTimeout(silent)
    clearTimeout(end)
  }
  return tooLarge(limit)
}

const deepest = 100
const mostValues = 100_000

/** Counts brackets and commas outside of strings: extreme nesting or length would exhaust code that walks it. */
export function jsonTooLarge(text: string): { code: string; why: string } | null {
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === ',') {
      values += 1
      if (values > mostValues)
        return { code: 'json_too_many_values', why: `it has more than ${mostValues.toLocaleString('en')} values` }
    } else if (char === '{' || char === '[') {
      depth += 1
      if (depth > deepest) return { code: 'json_too_deep', why: `it is nested deeper than ${deepest} levels` }
    } else if (char === '}' || char === ']') depth -= 1
  }
  return null
}

/** The index of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let back = end - 1
    while (text[back] === '\\') back -= 1
    if ((end - back) % 2 === 1) return end
  }
  return text.length
}

const tooLarge = (limit: number): Failed =>
  fail({
    kind: 'too_large',
    code: 'body_too_large',
    message: `The body is larger than ${limit} bytes.`,
    hint: 'Send less, or raise body_limit_bytes under [http] in config.toml.',
    details: { limit },
  })
