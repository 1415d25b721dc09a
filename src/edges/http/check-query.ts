import type { Endpoint } from '../../client/endpoint.ts'
import { fail, ok, type Fault, type Result } from '../../lib/result.ts'
import { validate, type HttpContext } from './request.ts'

const mostKnown = 100
const longestKnown = 200

/**
 * Validates the query of one endpoint. Valid results are cached by query string, because pages repeat the same ones;
 * invalid queries are checked each time.
 */
export function queryCheck(endpoint: Pick<Endpoint, 'query'>): (context: HttpContext) => Result<unknown> {
  const known = new Map<string, Result<unknown>>()
  return (context) => {
    // Not before the first request: the schema may not have been made yet.
    const { query: schema } = endpoint
    if (!schema) return ok(undefined)
    const { url } = context.req
    const words = url.slice(url.indexOf('?') + 1 || url.length)
    const found = known.get(words)
    if (found) return found
    const twice = repeated(context)
    if (twice !== undefined) return fail(repeatedParameter(twice))
    const checked = validate(schema, context.req.query(), 'query')
    if (!checked.ok || words.length > longestKnown) return checked
    if (known.size >= mostKnown) known.clear()
    known.set(words, freeze(checked))
    return checked
  }
}

/** Only one value would count, and the others would be lost silently. */
const repeated = (context: HttpContext): string | undefined =>
  Object.entries(context.req.queries()).find(([, values]) => values.length > 1)?.[0]

const repeatedParameter = (name: string): Fault => ({
  kind: 'invalid',
  code: 'repeated_parameter',
  message: `query.${name}: given more than once`,
  hint: 'Separate several values with commas, if the parameter takes several: see /api/docs.',
})

/** Cached values are shared, so they must not change. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const part of Object.values(value)) freeze(part)
  return Object.freeze(value)
}
