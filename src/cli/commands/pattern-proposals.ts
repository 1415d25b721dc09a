import type { Client } from '../../client/client.ts'
import type { PatternRule } from '../../domain/pattern/schema.ts'
import { programName } from '../program-name.ts'
import { cleanLine } from '../clean-text.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { findId, shortener } from '../ids.ts'
import { patternAnswerText, patternContextText } from '../pattern-text.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { proposalFlags } from '../table/patterns.ts'
import { relativeTime } from '../times.ts'

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

export const confirmProposal = decision(
  'confirmProposal',
  (rule) => `From now on typed automatically: ${wholeWords(rule)}`,
)
export const dismissProposal = decision('dismissProposal', (rule) => `Declined: ${wholeWords(rule)}`)
export const revokeProposal = decision('revokeProposal', (rule) => `You are asked again: ${wholeWords(rule)}`)
