import { anyJson, parseJson, ownJson } from '../../lib/parse-json.ts'
import type { PolicyFault, PolicyFile } from './schema.ts'

const mostEntries = 20_000
const longestEntry = 4096

/** Allows nothing. */
export const emptyPolicy: PolicyFile = {
  enabled: false,
  commands: [],
  tools: [],
  filePatterns: { write: [], read: [] },
  riskLevelThreshold: 'low',
  logAutoApproved: false,
  summaryIntervalSeconds: 300,
}

type ReportProblem = (path: JsonPath, message: string) => void
type KeyReaders = Readonly<
  Record<string, (value: unknown, path: JsonPath, report: ReportProblem) => Partial<PolicyFile> | null>
>

const keyReaders: KeyReaders = {
  enabled: (value, path, report) => (isSwitch(value, path, report) ? { enabled: value } : null),
  commands: (value, path, report) => (isList(value, path, report) ? { commands: value } : null),
  tools: (value, path, report) => (isList(value, path, report) ? { tools: value } : null),
  file_patterns: filePatterns,
  risk_level_threshold(value, path, report) {
    if (value === 'low' || value === 'high') return { riskLevelThreshold: value }
    report(
      path,
      `must be "low" or "high", not ${described(value)}${value === 'critical' ? '; critical is never automatic' : ''}`,
    )
    return null
  },
  log_auto_approved: (value, path, report) => (isSwitch(value, path, report) ? { logAutoApproved: value } : null),
  summary_interval_seconds(value, path, report) {
    const fits = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 86_400
    if (!fits) report(path, `must be a whole number of seconds from 1 to 86400, not ${described(value)}`)
    return fits ? { summaryIntervalSeconds: value } : null
  },
}

/** Reads a policy file. With any fault, nothing in it applies. Never throws. */
export function readPolicy(text: string): { file: PolicyFile | null; faults: PolicyFault[] } {
  const source = text.replace(/^\uFEFF/, '')
  const faults: PolicyFault[] = []
  const parsed = parseJson(source, anyJson)
  if (!parsed.ok) return { file: null, faults: [syntaxFault(source, parsed.fault.message)] }
  let places: ReturnType<typeof jsonLineNumbers>
  try {
    places = jsonLineNumbers(source)
  } catch (error) {
    return { file: null, faults: [syntaxFault(source, String(error))] }
  }
  const report: ReportProblem = (path, message) =>
    faults.push({ line: places.lineOf(path), key: dotted(path), message })
  for (const { path, line } of places.twice)
    faults.push({ line, key: dotted(path), message: 'appears twice; keep one of them' })
  const file = readTable(parsed.value, [], keyReaders, report)
  return faults.length === 0 ? { file: { ...emptyPolicy, ...file }, faults } : { file: null, faults: inOrder(faults) }
}

function readTable(value: unknown, path: JsonPath, table: KeyReaders, report: ReportProblem): Partial<PolicyFile> {
  if (!isObject(value)) {
    report(path, `must be an object { … }, not ${described(value)}`)
    return {}
  }
  const parts = Object.entries(value).map(([key, entry]) => {
    const reader = Object.hasOwn(table, key) ? table[key] : undefined
    if (reader) return reader(entry, [...path, key], report)
    report([...path, key], `is not known${suggestion(key, Object.keys(table))}`)
    return null
  })
  return Object.assign({}, ...parts.filter((part) => part !== null))
}

function filePatterns(value: unknown, path: JsonPath, report: ReportProblem): Partial<PolicyFile> {
  let [write, read]: string[][] = [[], []]
  readTable(
    value,
    path,
    {
      write: (list, at, say) => (isList(list, at, say) ? ((write = list), null) : null),
      read: (list, at, say) => (isList(list, at, say) ? ((read = list), null) : null),
    },
    report,
  )
  return { filePatterns: { write: write ?? [], read: read ?? [] } }
}

function isSwitch(value: unknown, path: JsonPath, report: ReportProblem): value is boolean {
  if (typeof value !== 'boolean') report(path, `must be true or false, not ${described(value)}`)
  return typeof value === 'boolean'
}

function isList(value: unknown, path: JsonPath, report: ReportProblem): value is string[] {
  if (!Array.isArray(value)) {
    report(path, `must be a list of texts [ … ], not ${described(value)}`)
    return false
  }
  if (value.length > mostEntries) report(path, `has ${value.length} entries; at most ${mostEntries} are allowed`)
  for (const [index, entry] of value.entries()) {
    if (typeof entry !== 'string') report([...path, index], `must be a text, not ${described(entry)}`)
    else if (entry.trim() === '' || entry.length > longestEntry)
      report([...path, index], entry.trim() === '' ? 'must not be empty' : `is longer than ${longestEntry} characters`)
  }
  return true
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function described(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'an object'
  return JSON.stringify(typeof value === 'string' ? value.slice(0, 40) : value)
}

const letters = (key: string): string => key.toLowerCase().replaceAll(/[^a-z]/g, '')

function suggestion(key: string, names: readonly string[]): string {
  const near = names.find((name) => letters(name) === letters(key) || letters(`${name}s`) === letters(key))
  return near === undefined ? `; known here: ${names.join(', ')}` : `; did you mean ${near}?`
}

const dotted = (path: JsonPath): string =>
  path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part.slice(0, 80)}`))
    .join('')

const inOrder = (faults: readonly PolicyFault[]): PolicyFault[] =>
  faults.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0)).slice(0, 50)

function syntaxFault(source: string, words: string): PolicyFault {
  const position = Number(/at position (\d+)/.exec(words)?.[1] ?? source.length)
  const before = source.trimEnd().slice(0, position)
  const comment = /^[ \t]*\/[/*]/m.test(source) ? ' It must not contain comments.' : ''
  return { line: before.split('\n').length, key: '', message: `The file is not JSON.${comment}` }
}

/** One fault as a line for people. */
export const faultText = ({ line, key, message }: PolicyFault): string =>
  [line === null ? '' : `line ${line}:`, key, message].filter((part) => part !== '').join(' ')

type JsonPath = readonly (string | number)[]

const deepest = 20
const isText = (value: unknown): value is string => typeof value === 'string'

/** The line of each key and item of a valid JSON text, and the keys that occur twice. */
function jsonLineNumbers(text: string): {
  lineOf(path: JsonPath): number | null
  twice: { path: JsonPath; line: number }[]
} {
  const lines = new Map<string, number>()
  const twice: { path: JsonPath; line: number }[] = []
  let [at, line] = [0, 1]

  const blank = (): void => {
    for (; /[ \t\r\n]/.test(text[at] ?? ''); at += 1) if (text[at] === '\n') line += 1
  }
  const string = (): string => {
    const start = at
    at += 1
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at += 1
    return text.slice(start, at)
  }
  const note = (path: JsonPath): void => {
    const key = JSON.stringify(path)
    if (!lines.has(key)) lines.set(key, line)
    else twice.push({ path, line })
  }
  const value = (path: JsonPath): void => {
    blank()
    const first = text[at]
    if (first === '"') string()
    else if (first === '{' || first === '[') list(first === '{', path)
    else while (at < text.length && !/[,\]}\s]/.test(text[at] ?? '')) at += 1
  }
  const list = (isObject: boolean, path: JsonPath): void => {
    at += 1
    for (let index = 0; ; index += 1) {
      blank()
      if (at >= text.length || text[at] === '}' || text[at] === ']') break
      let item: JsonPath = [...path, index]
      if (isObject) {
        item = [...path, ownJson(string(), 'The key', isText)]
        note(item)
        blank()
        at += 1
      } else note(item)
      if (item.length > deepest) throw new RangeError('too deep')
      value(item)
      blank()
      if (text[at] === ',') at += 1
    }
    at += 1
  }
  value([])
  return {
    twice,
    lineOf: (path) => {
      for (let depth = path.length; depth > 0; depth -= 1) {
        const found = lines.get(JSON.stringify(path.slice(0, depth)))
        if (found !== undefined) return found
      }
      return null
    },
  }
}
