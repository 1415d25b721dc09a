import { jsonTooLarge, readBody } from '../../../lib/http-body.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import { anyJson, parseJson } from '../../../lib/parse-json.ts'

/** A request body, as text and as parsed JSON. */
export type JsonBody = { readonly text: string; readonly value: unknown }

export async function readJson(request: Request, limit: number): Promise<Result<JsonBody>> {
  const text = await readBody(request, limit)
  if (!text.ok) return text
  const large = jsonTooLarge(text.value)
  if (large) return malformed(large.why)
  if (holdsNul(text.value)) return malformed('it contains a NUL character, which can’t be stored')
  const read = parseJson(text.value, anyJson)
  return read.ok ? ok({ text: text.value, value: read.value }) : malformed(read.fault.message)
}

/** PostgreSQL can't store NUL in text. */
const holdsNul = (text: string): boolean => text.includes('\\u0000') && /(?<!\\)(?:\\\\)*\\u0000/.test(text)

const malformed = (why: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'malformed_json',
    message: `Parse error: the body is not valid JSON: ${why}.`,
  })
