import { unconfirmedDanger, type Answer } from '../../domain/ask/answer.ts'
import { riskWords } from '../../domain/ask/about.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Json } from '../../lib/json.ts'
import { cleanText, exactLine, exactText } from '../clean-text.ts'
import type { Keyboard } from '../keyboard.ts'
import type { Output } from '../output.ts'
import { subjectText } from '../subject-text.ts'
import { wrapLines } from '../wrap-lines.ts'
import { fieldLines, fieldPrompt, fieldsOf, readField } from './form.ts'
import { questionOf, readLine, type AnswerableQuestion } from './question.ts'

type Dialogue = { keyboard: Keyboard; out: Pick<Output, 'print' | 'paint' | 'width'>; signal: AbortSignal }

/** Shows an ask in full and reads the answer; null if it is left open, or the signal aborts. */
export async function askInPlace(ask: Ask, dialogue: Dialogue): Promise<Answer | null> {
  const { out } = dialogue
  const risk = ask.riskLevel === 'low' ? '' : ` (${ask.riskLevel} risk)`
  const title = wrapLines(`${exactLine(ask.title)}${risk}`, out.width - 2).split('\n')
  const judged = cleanText(riskWords(ask))
  const head = `${out.paint('yellow', '?')} ${title.map((line) => out.paint('bold', line)).join('\n  ')}`
  // Form fields are asked one by one, so the schema is not shown.
  const body =
    ask.subject.kind === 'elicitation' ? [exactText(ask.subject.message).trimEnd()] : subjectText(ask, out.paint)
  out.print(
    [
      '',
      head,
      ...(judged === '' ? [] : [wrapLines(judged, out.width)]),
      ...body.flatMap((block) => withoutTitle(block, ask.title)),
    ].join('\n'),
  )
  if (ask.subject.kind === 'elicitation') return fillIn(ask.subject.schema, dialogue)
  const answer = await choose(questionOf(ask.subject), dialogue)
  return answer === null || unconfirmedDanger(ask.subject, answer) === null ? answer : askAgain(answer, dialogue)
}

/** Before it is typed into a dangerous prompt. */
async function askAgain(answer: Answer, { keyboard, signal }: Dialogue): Promise<Answer | null> {
  const what = answer.outcome === 'reply' ? `Type "${exactLine(answer.value)}"` : 'Type it'
  const { line } = await keyboard.ask(`This prompt is dangerous. ${what}? (y/n) `, { signal, fresh: true })
  return /^y(?:es)?$/i.test(line?.trim() ?? '') ? ({ ...answer, confirmed: true } as Answer) : null
}

/** The title is shown above, so it is removed from the start of a block, coloured or not. */
function withoutTitle(block: string, title: string): string[] {
  const [first = '', ...rest] = block.split('\n')
  const isTitle = (text: string) => exactLine(cleanText(text)) === exactLine(title)
  if (isTitle(block)) return []
  return isTitle(first) ? [rest.join('\n')] : [block]
}

async function choose(question: AnswerableQuestion, { keyboard, out, signal }: Dialogue): Promise<Answer | null> {
  const { choices, free } = question
  out.print(['', ...choices.map(({ key, label }) => wrapLines(`  [${key}] ${label}`, out.width, 4))].join('\n'))
  const short = choices.map(({ key }) => key).join('/')
  const prompt = `${free === null ? short : `${short}, or ${free.about}`}: `
  for (;;) {
    const { line } = await keyboard.ask(prompt, { signal, fresh: true })
    if (line === null) return null
    const answer = readLine(line, question)
    if (answer !== null) return answer
    out.print(`Enter ${prompt.slice(0, -2)}. Ctrl-D leaves it open.`)
  }
}

async function fillIn(schema: unknown, { keyboard, out, signal }: Dialogue): Promise<Answer | null> {
  const content: Record<string, Json> = {}
  const fields = fieldsOf(schema)
  out.print(`\n${out.paint('dim', '/decline gives no answer; Ctrl-D leaves it open.')}`)
  if (fields.length === 0) return confirm({ keyboard, out, signal })
  for (const field of fields) {
    out.print(wrapLines(fieldLines(field).join('\n'), out.width, 2))
    for (;;) {
      const { line } = await keyboard.ask(fieldPrompt(field), { signal, fresh: true })
      if (line === null) return null
      const declined = /^\/decline\b\s*(.*)$/.exec(line.trim())
      if (declined) return { outcome: 'decline', reason: declined[1] || null }
      const read = readField(field, line)
      if ('value' in read) {
        if (read.value !== undefined) content[field.name] = read.value
        break
      }
      out.print(read.problem)
    }
  }
  return { outcome: 'accept', content }
}

/** A form without fields is only accepted or declined. */
async function confirm({ keyboard, out, signal }: Dialogue): Promise<Answer | null> {
  for (;;) {
    const { line } = await keyboard.ask('Accept? (y/n) ', { signal, fresh: true })
    if (line === null) return null
    if (/^y(?:es)?$/i.test(line.trim())) return { outcome: 'accept', content: {} }
    if (/^(?:no?|\/decline)$/i.test(line.trim())) return { outcome: 'decline', reason: null }
    out.print('Enter y or n.')
  }
}
