import type { SessionId } from '../../domain/session/id.ts'
import type { Printed } from '../terminals.ts'
import { foldLines, normalForm } from './fold.ts'
import { item, oneLine, type Item } from './item.ts'

const longestLine = 300
const mostTrace = 20
/** How many first and last lines of folded ordinary output are shown. */
const [mostFirst, mostLast] = [3, 5]

const nothingWrong =
  /\b(?:no|0|zero|without)\s+(?:\w+\s+){0,2}(?:critical|errors?|fail(?:ed|ures?)?|warnings?|panics?)\b|\b(?:errors?|fail(?:ed|ures?)?|warnings?|critical)\s*[:=]?\s*0\b/gi
const criticalWords =
  /\b(?:critical|(?:kernel )?panic(?:ked)?|out of memory|oom[- ]?kill\w*|segfault|segmentation fault|core dumped)\b/i
const errorWords =
  /\b(?:errors?|exception|traceback|fatal|failed|failure|aborted|denied|refused|cannot|can't|could not|couldn't|unable to|not found|no such file|undefined reference|ERR!)(?!\w)|\w(?:Error|Exception)\b|^E: /i
const warningWords = /\b(?:warn|warnings?|deprecated)\b/i

type Weight = 'critical' | 'error' | 'warning' | null

export function weigh(line: string): Weight {
  const words = line.replaceAll(nothingWrong, ' ')
  if (criticalWords.test(words)) return 'critical'
  if (/^\W*(?:npm )?warn(?:ing)?\b/i.test(words)) return 'warning'
  if (errorWords.test(words)) return 'error'
  return warningWords.test(words) ? 'warning' : null
}

/** The command entered at a shell prompt. */
const commandIn = (line: string): string | null =>
  /^[^\s$#%❯➜>]{0,80}(?: [^\s$#%❯➜>]{1,60}){0,3} ?[$#%❯➜>] (\S.*)$/u.exec(line)?.[1] ?? null

/** A silence this long starts a new item. */
const pauseMs = 30_000

/** Terminal output by severity: errors with their command and trace, warnings, and the rest folded. */
export function itemsOfOutput(printed: readonly Printed[], sessionId: SessionId): Item[] {
  const lines = printed.map(({ line }) => line.trimEnd().slice(0, longestLine))
  const items: Item[] = []
  let ordinary: string[] = []
  let since = ''
  let last = ''
  let command: string | null = null
  const flush = () => {
    const [first] = ordinary
    if (first !== undefined) items.push(outputItem(ordinary, { at: since, sessionId }))
    ordinary = []
  }
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    if (line.trim() === '') continue
    const about = { at: printed[at]?.at ?? '', sessionId }
    if (last !== '' && Date.parse(about.at) - Date.parse(last) >= pauseMs) flush()
    last = about.at
    const entered = commandIn(line)
    command = entered ?? command
    const weight = entered === null ? weigh(line) : null
    if (weight === null) {
      if (ordinary.length === 0) since = about.at
      ordinary.push(line)
      continue
    }
    flush()
    const likeness = normalForm(line)
    if (weight === 'warning') {
      items.push(item({ ...about, severity: 'medium', kind: 'warning', text: line.trim(), likeness }))
      continue
    }
    const trace = traceFrom(lines, at + 1, likeness)
    const critical = weight === 'critical' || trace.some((one) => weigh(one) === 'critical')
    items.push(
      item({
        ...about,
        severity: critical ? 'critical' : 'high',
        kind: 'error',
        text: line.trim(),
        context: [...(command === null ? [] : [`$ ${command}`]), ...trace],
        likeness,
      }),
    )
    at += trace.length
  }
  flush()
  return items
}

/** Ends at a blank line, the next command, or a repetition of the error. */
function traceFrom(lines: readonly string[], from: number, likeness: string): string[] {
  const trace: string[] = []
  for (const line of lines.slice(from, from + mostTrace)) {
    if (line.trim() === '' || commandIn(line) !== null || normalForm(line) === likeness) break
    trace.push(line)
  }
  return trace
}

function outputItem(lines: readonly string[], about: { at: string; sessionId: SessionId }): Item {
  const told = foldLines(lines)
  const left = told.length - mostFirst - mostLast
  const shown = left > 1 ? [...told.slice(0, mostFirst), `⋯ ${left} more`, ...told.slice(-mostLast)] : told
  const [only = ''] = lines
  const text = lines.length === 1 ? oneLine(only, longestLine) : `${lines.length} lines of output`
  return item({ ...about, severity: 'low', kind: 'output', text, context: lines.length === 1 ? [] : shown })
}
