import { readFileSync } from 'node:fs'
import type { Client } from '../../client/client.ts'
import type { Pattern, PatternResponse, PatternRule, PatternContext } from '../../domain/pattern/schema.ts'
import { isRecord, parseJson } from '../../lib/parse-json.ts'
import { programName } from '../program-name.ts'
import { cleanLine } from '../clean-text.ts'
import { renderFields, renderTable, type Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { readErrorText } from '../file-error.ts'
import { findSession } from '../find-by-id.ts'
import { findId, shortener } from '../ids.ts'
import { saveChunks } from '../save-chunks.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { patternExportFlags, patternListFlags, proposalFlags } from '../table/patterns.ts'
import { relativeTime } from '../times.ts'

const pageSize = 500

export const listPatterns: Handler<typeof patternListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const { program, search: q, limit } = flags
  const query = { ...(program !== undefined && { program }), ...(q !== undefined && { q }) }
  const found = await client.listPatterns({ query: { ...query, ...(limit !== undefined && { limit }) } })
  printResult(context, found, ({ patterns, total }) => {
    const short = shortener(patterns.map(({ id }) => id))
    const columns: Column<Pattern>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'PROGRAM', cell: ({ context: where }) => patternContextText(where) },
      { title: 'QUESTION', cell: ({ promptText }) => promptText, shrinks: true },
      {
        title: 'USUALLY',
        cell: ({ responses: [most] }) => (most ? patternAnswerText(most.response) : ''),
        shrinks: true,
      },
      {
        title: 'TIMES',
        cell: ({ responses: [most], totalOccurrences }) => `${most?.count ?? 0} of ${totalOccurrences}`,
      },
      { title: 'LAST', cell: ({ lastSeen }) => relativeTime(lastSeen, context.now()) },
    ]
    const none =
      'No patterns yet. Signalbox learns from your answers in watched terminals, except secret and dangerous ones.'
    const more = total > patterns.length ? `\n${total - patterns.length} more; see them with --limit or --search` : ''
    return tableOr(context, patterns, columns, none) + more
  })
}

export const showPattern: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findPattern(client, text)
  printResult(context, await client.getPattern({ params: { id } }), (pattern) => patternWords(pattern, context))
}

function patternWords(pattern: Pattern, context: Context): string {
  const now = context.now()
  const head = renderFields(
    [
      ['Question', cleanLine(pattern.promptText)],
      ['Type', pattern.promptType],
      ['Program', pattern.context.program || null],
      ['Host', pattern.context.host || null],
      ['Place', pattern.context.place || null],
      ['Times', String(pattern.totalOccurrences)],
      ['First', relativeTime(pattern.createdAt, now)],
      ['Last', relativeTime(pattern.lastSeen, now)],
      ['Id', pattern.id],
    ],
    context.out,
  )
  const columns: Column<PatternResponse>[] = [
    { title: 'ANSWER', cell: ({ response }) => patternAnswerText(response), shrinks: true },
    { title: 'TIMES', cell: ({ count }) => String(count) },
    { title: 'TAKEN', cell: ({ count, successCount }) => shareText(successCount, count) },
    { title: 'LAST', cell: ({ lastAt }) => relativeTime(lastAt, now) },
  ]
  return `${head}\n\n${renderTable(pattern.responses, columns, context.out)}`
}

export const forgetPattern: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findPattern(client, text)
  printResult(
    context,
    await client.forgetPattern({ params: { id } }),
    ({ promptText }) => `Forgotten: ${cleanLine(promptText)}`,
  )
}

export const exportPatterns: Handler<typeof patternExportFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const { output, session } = flags
  const exported =
    session === undefined
      ? await client.exportPatterns({})
      : await client.exportSessionInputs({ params: { id: await findSession(client, session) } })
  if (output === undefined) return context.out.json(exported)
  const { bytes } = await saveChunks(
    output,
    (async function* () {
      yield Buffer.from(`${JSON.stringify(exported, null, 2)}\n`)
    })(),
  )
  const count = 'data' in exported ? exported.data.patterns.length : exported.events.length
  if (context.json) return context.out.json({ file: output, count, bytes })
  const what = 'data' in exported ? 'pattern' : 'input'
  context.out.print(`${count} ${what}${count === 1 ? '' : 's'} written to ${output}.`)
}

export const importPatterns: Handler = async ({ args: [file = ''] }, context) => {
  const body = documentOf(file)
  const { client } = await context.api()
  printResult(context, await client.importPatterns({ body }), ({ imported }) =>
    [
      `${imported} ${imported === 1 ? 'pattern' : 'patterns'} imported.`,
      ...(imported > 0 ? [`See them with: ${programName()} patterns`] : []),
    ].join(' '),
  )
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw wrongUsage(`${file} can't be read: ${readErrorText(error)}.`)
  }
}

function documentOf(file: string): Record<string, unknown> {
  const read = parseJson(textOf(file).replace(/^\uFEFF/, ''), isRecord)
  if (read.ok) return read.value
  if (read.fault.code === 'malformed_json')
    throw wrongUsage(`${file} can't be read: it is not JSON (${read.fault.message}).`)
  throw wrongUsage(`${file} contains no patterns.`, 'It must be an object with data.patterns or patterns.')
}

export function findPattern(client: Client, text: string): Promise<Pattern['id']> {
  const pages = async function* () {
    for (let offset = 0; ; offset += pageSize) {
      const { patterns, total } = await client.listPatterns({ query: { limit: pageSize, offset } })
      yield patterns
      if (offset + pageSize >= total) return
    }
  }
  return findId<Pattern>(text, { what: 'pattern', list: 'signalbox patterns', pages: pages() })
}

export const listProposals: Handler<typeof proposalFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const found = await client.listProposals({ query: { status: flags.status ?? 'proposed,confirmed' } })
  if (context.json) return context.out.json(found)
  const { proposals } = found
  const short = shortener(proposals.map(({ id }) => id))
  const columns: Column<PatternRule>[] = [
    { title: 'ID', cell: ({ id }) => short(id) },
    {
      title: 'STATUS',
      cell: ({ status }) => (status === 'proposed' ? { text: status, colour: 'yellow' } : status),
    },
    { title: 'PROGRAM', cell: ({ context: where }) => patternContextText(where) },
    { title: 'QUESTION', cell: ({ promptText }) => promptText, shrinks: true },
    { title: 'ANSWER', cell: ({ response }) => patternAnswerText(response), shrinks: true },
    { title: 'IN A ROW', cell: ({ evidence }) => `${evidence}×` },
    { title: 'SINCE', cell: ({ decidedAt, createdAt }) => relativeTime(decidedAt ?? createdAt, context.now()) },
  ]
  const none = 'No proposals. Signalbox makes one when you give the same answer five times in a row.'
  context.out.print(tableOr(context, proposals, columns, none))
  const open = proposals.find(({ status }) => status === 'proposed')
  if (open)
    context.out.note(`To type one automatically from now on: ${programName()} patterns confirm ${short(open.id)}`)
}

function findProposal(client: Client, text: string): Promise<PatternRule['id']> {
  const pages = async function* () {
    const { proposals } = await client.listProposals({})
    yield proposals.filter(({ status }) => status === 'proposed' || status === 'confirmed')
    yield proposals
  }
  return findId<PatternRule>(text, { what: 'proposal', list: 'signalbox patterns proposals', pages: pages() })
}

const decision =
  (verb: 'confirmProposal' | 'dismissProposal' | 'revokeProposal', words: (rule: PatternRule) => string): Handler =>
  async ({ args: [text = ''] }, context) => {
    const { client } = await context.api()
    const id = await findProposal(client, text)
    printResult(context, await client[verb]({ params: { id } }), words)
  }

const wholeWords = ({ promptText, response, context }: PatternRule): string => {
  const where = patternContextText(context)
  return `${patternAnswerText(response)} at "${cleanLine(promptText)}"${where === '' ? '' : ` (${where})`}`
}

/** An answer as shown to people. */
const patternAnswerText = (response: string): string => (response === '' ? '(Enter)' : response)

/** `apt on web1`, as far as known. */
const patternContextText = ({ program, host }: PatternContext): string =>
  [program, host === '' ? '' : `on ${host}`].filter((part) => part !== '').join(' ')

const shareText = (successCount: number, count: number): string =>
  count === 0 ? '' : `${Math.round((100 * successCount) / count)} %`

export const confirmProposal = decision(
  'confirmProposal',
  (rule) => `From now on typed automatically: ${wholeWords(rule)}`,
)
export const dismissProposal = decision('dismissProposal', (rule) => `Declined: ${wholeWords(rule)}`)
export const revokeProposal = decision('revokeProposal', (rule) => `You are asked again: ${wholeWords(rule)}`)
