import { resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import type { PolicyRule } from '../../domain/policy/schema.ts'
import { programName } from '../program-name.ts'
import type { Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import { findId, shortener } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { ruleListFlags } from '../table/policy.ts'
import { relativeTime } from '../times.ts'
import { actorText } from '../display-text.ts'

const kinds = { command: 'command', tool: 'tool', write: 'write file', read: 'read file' } as const

export const listRules: Handler<typeof ruleListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const { workspace, status } = flags
  const workspaceRoot = workspace === undefined || context.url !== undefined ? workspace : resolve(workspace)
  const query = { ...(workspaceRoot !== undefined && { workspaceRoot }), ...(status !== undefined && { status }) }
  const found = await client.listRules({ query })
  if (context.json) return context.out.json(found)
  const people = await namesOfPeople(client)
  const short = shortener(found.rules.map(({ id }) => id))
  const columns: Column<PolicyRule>[] = [
    { title: 'ID', cell: ({ id }) => short(id) },
    {
      title: 'STATUS',
      cell: (rule) => (rule.status === 'proposed' ? { text: rule.status, colour: 'yellow' } : rule.status),
    },
    { title: 'KIND', cell: ({ rule }) => kinds[rule.kind] },
    { title: 'RULE', cell: ({ rule }) => rule.pattern, shrinks: true },
    { title: 'APPROVED', cell: ({ evidence }) => `${evidence}×` },
    { title: 'WORKSPACE', cell: (rule) => rule.workspaceRoot, shrinks: true },
    { title: 'BY', cell: ({ decidedBy, proposedBy }) => actorText(decidedBy ?? proposedBy, people) },
    { title: 'SINCE', cell: ({ decidedAt, createdAt }) => relativeTime(decidedAt ?? createdAt, context.now()) },
  ]
  const none = `No rules. To propose one: ${programName()} answer ID approve --always`
  context.out.print(tableOr(context, found.rules, columns, none))
  const open = found.rules.find(({ status: one }) => one === 'proposed')
  if (open) context.out.note(`Confirm one: ${programName()} policy confirm ${short(open.id)}`)
}

function findRule(client: Client, text: string): Promise<PolicyRule['id']> {
  const pages = async function* () {
    const { rules } = await client.listRules({})
    yield rules.filter(({ status }) => status === 'proposed' || status === 'confirmed')
    yield rules
  }
  return findId<PolicyRule>(text, { what: 'rule', list: 'signalbox policy rules', pages: pages() })
}

const decision =
  (verb: 'confirmRule' | 'dismissRule' | 'revokeRule', words: (rule: PolicyRule) => string): Handler =>
  async ({ args: [text = ''] }, context) => {
    const { client } = await context.api()
    const id = await findRule(client, text)
    printResult(context, await client[verb]({ params: { id } }), words)
  }

export const confirmRule = decision(
  'confirmRule',
  ({ rule, workspaceRoot }) =>
    `From now on this is answered automatically in ${workspaceRoot}: ${kinds[rule.kind]} ${rule.pattern}`,
)
export const dismissRule = decision('dismissRule', ({ rule }) => `Declined: ${kinds[rule.kind]} ${rule.pattern}`)
export const revokeRule = decision(
  'revokeRule',
  ({ rule }) => `People are asked again: ${kinds[rule.kind]} ${rule.pattern}`,
)
