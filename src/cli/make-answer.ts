import type { Answer, Outcome } from '../domain/ask/answer.ts'
import type { Json } from '../lib/json.ts'
import { wrongUsage } from './failure.ts'
import { anyJson, parseJson } from '../lib/parse-json.ts'

type AnswerWords = {
  outcome: Outcome
  words: readonly string[]
  reason: string | undefined
  always: boolean
  forSession: boolean
  group?: string | undefined
}

/** Turns the words of the command line into an answer for the API. */
export function makeAnswer({ outcome, words, reason, always, forSession, group }: AnswerWords): Answer {
  const text = words.join(' ').trim()
  if (always && outcome !== 'approve') throw wrongUsage(`--always works only with approve, not with ${outcome}.`)
  if (group !== undefined && outcome !== 'approve')
    throw wrongUsage(`--group works only with approve, not with ${outcome}.`)
  if (forSession && outcome !== 'approve')
    throw wrongUsage(`--for-session works only with approve, not with ${outcome}.`)
  const why = reason ?? (text === '' ? null : text)
  switch (outcome) {
    case 'approve':
      return { outcome, always, reason: why, ...(forSession && { forSession }), ...(group !== undefined && { group }) }
    case 'reject':
    case 'stop':
    case 'decline':
      if (reason !== undefined && text !== '') throw wrongUsage('Give the reason once: with --reason or as text.')
      return { outcome, reason: why }
    case 'continue':
      refuseExtra(text, reason, outcome)
      return { outcome }
    case 'select':
      return { outcome, optionId: needed(text, outcome, 'the option'), reason: reason ?? null }
    case 'refine':
      refuseExtra('', reason, outcome)
      return { outcome, instruction: needed(text, outcome, 'what to do instead') }
    case 'resume':
      refuseExtra('', reason, outcome)
      return { outcome, instruction: text === '' ? null : text }
    case 'reply':
      refuseExtra('', reason, outcome)
      return { outcome, value: words.length === 0 ? needed('', outcome, 'your answer') : words.join(' ') }
    case 'accept':
      refuseExtra('', reason, outcome)
      return { outcome, content: content(words) }
    default:
      return outcome satisfies never
  }
}

function needed(text: string, outcome: Outcome, what: string): string {
  if (text !== '') return text
  throw wrongUsage(
    `${outcome} needs ${what}: signalbox answer ID ${outcome} TEXT`,
    'See the possible answers with: signalbox asks show ID',
  )
}

function refuseExtra(text: string, reason: string | undefined, outcome: Outcome): void {
  if (text !== '') throw wrongUsage(`${outcome} takes no text.`, 'To tell the agent something, use refine.')
  if (reason !== undefined) throw wrongUsage(`${outcome} takes no --reason.`)
}

/** `name=Ann age=7`, or one JSON value. Values that parse as JSON are used as such; others are text. */
function content(words: readonly string[]): Json {
  const [first = ''] = words
  if (words.length === 1 && /^[[{]/.test(first)) {
    const read = readJson(first)
    if (read === undefined)
      throw wrongUsage('This is not valid JSON.', `Use name=value pairs, or JSON such as '{"name":"Ann"}'.`)
    return read
  }
  const entries = words.map((word): [string, Json] => {
    const equals = word.indexOf('=')
    if (equals < 1) throw wrongUsage(`"${word}" has no name.`, 'Use name=value pairs, or one JSON object.')
    const value = word.slice(equals + 1)
    return [word.slice(0, equals), /^(?:true|false|null|-?\d|[[{"])/.test(value) ? (readJson(value) ?? value) : value]
  })
  return Object.fromEntries(entries)
}

function readJson(text: string): Json | undefined {
  const read = parseJson(text, anyJson)
  return read.ok ? read.value : undefined
}
