import { fail, ok, type Result } from '../../lib/result.ts'
import { PromptType } from '../terminal/schema.ts'
import type { UserId } from '../user/id.ts'
import { keyOf } from './key.ts'
import { isResponse, neverLearned } from './learnable.ts'
import { mostResponses } from './learn.ts'
import { longestPrompt, type InputEvent, type InputHistory } from './schema.ts'
import type { KeptPattern, KeptResponse, PatternExport } from './schema.ts'
import { looksSecret, maskSecrets } from './secret-text.ts'

export type ExchangeFault = { index: number | null; field: string; message: string }

const mostPatterns = 10_000
const mostFaults = 100
const mostCount = 1_000_000_000
const aheadMs = 86_400_000

export const writeExchange = (patterns: readonly KeptPattern[]): PatternExport => ({
  schema_version: '1.0',
  data: {
    patterns: patterns.map(({ id, promptText, promptType, context, responses, lastSeen, createdAt }) => ({
      pattern_id: id,
      prompt_text: promptText,
      responses: byResponse(responses, ({ count, successCount }) => ({ count, success_count: successCount })),
      total_occurrences: responses.reduce((sum, { count }) => sum + count, 0),
      last_seen: lastSeen,
      created_at: createdAt,
      context: {
        ...context,
        prompt_type: promptType,
        weights: byResponse(responses, ({ weight, lastAt }) => ({ weight, at: lastAt })),
      },
    })),
  },
})

// Not by assignment: an answer may be called __proto__.
const byResponse = <T>(responses: readonly KeptResponse[], value: (one: KeptResponse) => T): Record<string, T> =>
  Object.fromEntries(responses.map((one) => [one.response, value(one)]))

export const writeHistory = (sessionId: InputEvent['sessionId'], events: readonly InputEvent[]): InputHistory => ({
  session_id: sessionId,
  events: events.map((event) => ({
    event_id: event.id,
    session_id: event.sessionId,
    timestamp: event.at,
    prompt_text: event.promptText,
    prompt_type: event.promptType,
    input_text: event.inputText,
    success: event.success,
    input_source: event.inputSource,
    response_time_ms: event.responseTimeMs,
  })),
})

type ImportReport = (field: string, message: string) => void

/** A file is imported completely or not at all, with the faults of all its rows. */
export function readExchange(document: unknown, userId: UserId, now: number): Result<KeptPattern[]> {
  const faults: ExchangeFault[] = []
  const rows = rowsOf(document)
  if (typeof rows === 'string') return refused([{ index: null, field: '', message: rows }])
  const patterns: KeptPattern[] = []
  const places = new Map<string, number>()
  const names = new Map<unknown, number>()
  for (const [index, row] of rows.entries()) {
    if (faults.length >= mostFaults) break
    const report: ImportReport = (field, message) => faults.push({ index, field, message })
    const name = isObject(row) ? row['pattern_id'] : undefined
    if (name !== undefined && names.has(name)) report('pattern_id', `is also that of patterns[${names.get(name)}]`)
    names.set(name, index)
    const pattern = readPattern(row, userId, now, report)
    if (!pattern) continue
    const same = places.get(pattern.id)
    if (same !== undefined) report('prompt_text', `is the same question as that of patterns[${same}]`)
    places.set(pattern.id, index)
    patterns.push(pattern)
  }
  return faults.length === 0 ? ok(patterns) : refused(faults)
}

function rowsOf(document: unknown): readonly unknown[] | string {
  if (!isObject(document)) return 'is not an object with patterns'
  const version = document['schema_version']
  const whole = version !== undefined || document['data'] !== undefined
  if (whole && version !== '1.0') return `has the schema_version ${shown(version)}; only "1.0" is supported`
  const holder = whole ? document['data'] : document
  const rows = isObject(holder) ? holder['patterns'] : undefined
  if (!Array.isArray(rows)) return `has no list ${whole ? 'data.patterns' : 'patterns'}`
  return rows.length > mostPatterns ? `has ${rows.length} patterns; at most ${mostPatterns} are allowed` : rows
}

function readPattern(row: unknown, userId: UserId, now: number, report: ImportReport): KeptPattern | null {
  if (!isObject(row)) {
    report('', `must be an object, not ${shown(row)}`)
    return null
  }
  let sound = true
  const fault: ImportReport = (field, message) => {
    sound = false
    report(field, message)
  }
  const name = row['pattern_id']
  if (name !== undefined && (typeof name !== 'string' || name === '')) fault('pattern_id', 'must be a text')
  const lastSeen = readTime(row['last_seen'], 'last_seen', now, fault)
  const createdAt = readTime(row['created_at'], 'created_at', now, fault)
  if (lastSeen !== null && createdAt !== null && createdAt > lastSeen) fault('created_at', 'is after last_seen')
  const context = isObject(row['context']) ? row['context'] : {}
  if (row['context'] !== undefined && !isObject(row['context'])) fault('context', 'must be an object')
  const text = (field: string): string => {
    const value = context[field] ?? ''
    if (typeof value === 'string' && value.length <= 1024) return value
    fault(`context.${field}`, 'must be a text of at most 1024 characters')
    return ''
  }
  const where = { program: text('program'), host: text('host'), place: text('place') }
  const type = PromptType.safeParse(context['prompt_type'] ?? 'unknown')
  if (!type.success) fault('context.prompt_type', `is not known: ${shown(context['prompt_type'])}`)
  const promptType = type.data ?? 'unknown'
  const prompt = readPrompt(row['prompt_text'], promptType, fault)
  const weights = isObject(context['weights']) ? context['weights'] : {}
  const responses = readResponses(row, weights, lastSeen ?? '', fault)
  if (!sound || prompt === null || lastSeen === null || createdAt === null) return null
  const key = keyOf(userId, prompt, where)
  const { id, context: at, promptText } = key
  return { id, userId, promptText, promptType, context: at, responses, createdAt, lastSeen, streak: null }
}

function readPrompt(value: unknown, promptType: PromptType, report: ImportReport): string | null {
  const field = 'prompt_text'
  if (typeof value !== 'string' || value.trim() === '') report(field, 'must be a text that is not empty')
  else if (value.length > longestPrompt) report(field, `is longer than ${longestPrompt} characters`)
  else if (!value.isWellFormed()) report(field, 'contains half of a character')
  else if (maskSecrets(value) !== value) report(field, 'contains what looks like a secret; remove it')
  else {
    const why = neverLearned({ promptText: value, promptType, secret: false, dangerous: false })
    if (why === null) return value
    report(field, `${why}: remove this pattern`)
  }
  return null
}

function readResponses(
  row: Readonly<Record<string, unknown>>,
  weights: Readonly<Record<string, unknown>>,
  lastSeen: string,
  report: ImportReport,
): KeptResponse[] {
  const { responses, total_occurrences: total } = row
  if (!isObject(responses)) {
    report('responses', `must be an object of answers, not ${shown(responses)}`)
    return []
  }
  const entries = Object.entries(responses)
  if (entries.length > mostResponses)
    report('responses', `has ${entries.length} answers; at most ${mostResponses} are allowed`)
  const found = entries.map(([response, stats]): KeptResponse => {
    const secret = looksSecret(response)
    const field = `responses[${secret ? '…' : JSON.stringify(response.slice(0, 40))}]`
    if (secret) report(field, 'looks like a secret; remove it')
    else if (!isResponse(response))
      report(field, 'is not a valid answer: too long, redacted, or with control characters')
    const { count, success_count: successCount } = isObject(stats) ? stats : {}
    const counts = isCount(count) && isCount(successCount)
    if (!isCount(count)) report(`${field}.count`, `must be a whole number, not ${shown(count)}`)
    if (!isCount(successCount)) report(`${field}.success_count`, `must be a whole number, not ${shown(successCount)}`)
    if (counts && successCount > count)
      report(`${field}.success_count`, `is ${successCount}, more than count, ${count}`)
    const kept = counts ? { count, successCount } : { count: 0, successCount: 0 }
    const { weight, lastAt } = readWeight(weights[response], kept.count, lastSeen)
    return { response, count: kept.count, successCount: kept.successCount, weight, lastAt, recent: '' }
  })
  const sum = found.reduce((all, { count }) => all + count, 0)
  if (total !== sum) report('total_occurrences', `is ${shown(total)}, and the counts make ${sum}`)
  return found
}

/** A weight larger than the counts of the file is not accepted. */
function readWeight(value: unknown, count: number, lastSeen: string): Pick<KeptResponse, 'weight' | 'lastAt'> {
  const { weight, at } = isObject(value) ? value : {}
  const sound = typeof weight === 'number' && weight >= 0 && weight <= count
  if (!sound || typeof at !== 'string') return { weight: count, lastAt: lastSeen }
  const time = timeOf(at)
  return time !== null && time <= lastSeen ? { weight, lastAt: time } : { weight: count, lastAt: lastSeen }
}

function readTime(value: unknown, field: string, now: number, report: ImportReport): string | null {
  const time = typeof value === 'string' ? timeOf(value) : null
  if (time === null) report(field, `must be a time such as 2030-01-31T12:00:00Z, not ${shown(value)}`)
  else if (Date.parse(time) > now + aheadMs) report(field, 'is in the future')
  return time
}

/** ISO 8601; without a zone it is UTC. */
function timeOf(text: string): string | null {
  const parts = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/.exec(text)
  if (!parts) return null
  const milliseconds = Date.parse(`${parts[1]}T${parts[2]}${parts[3] ?? 'Z'}`)
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString()
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= mostCount

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const shown = (value: unknown): string =>
  value === undefined ? 'missing' : Array.isArray(value) ? 'a list' : (JSON.stringify(value)?.slice(0, 40) ?? 'nothing')

function refused(faults: readonly ExchangeFault[]): Result<never> {
  const lines = faults.slice(0, 5).map(faultWords)
  const more = faults.length > lines.length ? ` And ${faults.length - lines.length} more.` : ''
  return fail({
    kind: 'invalid',
    code: 'invalid_patterns',
    message: `Nothing was imported. ${lines.join(' ')}${more}`,
    hint: 'Fix these and import the file again.',
    details: { faults },
  })
}

const faultWords = ({ index, field, message }: ExchangeFault): string =>
  `${index === null ? 'The file' : `patterns[${index}]`}${field === '' ? '' : `.${field}`} ${message}.`
