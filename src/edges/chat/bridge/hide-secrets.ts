import { isJsonRecord } from '../../../lib/parse-json.ts'
import { redacted } from '../../../lib/secret-words.ts'
import type { Json } from '../../../lib/json.ts'

/** Shorter values are words that errors need, such as a mode. */
const shortest = 8

/** Errors of adapters may quote what they were configured with, such as an address with a token in it. */
export function createHider(config: Json): (text: string) => string {
  const secrets = [...new Set(textsOf(config))]
    .filter((text) => text.length >= shortest && !/^https?:\/\//.test(text))
    // A secret may be part of another.
    .toSorted((a, b) => b.length - a.length)
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
  return (text) => forms.reduce((hidden, secret) => hidden.replaceAll(secret, redacted), text)
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsOf)
  return isJsonRecord(value) ? Object.values(value).flatMap(textsOf) : []
}
