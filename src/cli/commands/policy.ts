import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import type { PolicyInForce, PolicyReplay } from '../../domain/policy/schema.ts'
import { programName } from '../program-name.ts'
import { cleanLine } from '../clean-text.ts'
import { renderFields, renderTable, type Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { readErrorText } from '../file-error.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { namesOfPeople } from '../people.ts'
import type { policyFlags, policyTestFlags } from '../table/policy.ts'
import { relativeTime, timeBack } from '../times.ts'
import { gitRootOf } from '../workspace-choice.ts'
import { actorText } from '../display-text.ts'

type PolicyFlags = { workspace: string | undefined; session: string | undefined }

export async function policyWorkspace(client: Client, { workspace, session }: PolicyFlags, context: Context) {
  if (session !== undefined) {
    if (workspace !== undefined) throw wrongUsage('Give --workspace or --session, not both.')
    return { sessionId: await findSession(client, session) }
  }
  if (context.url === undefined) return { workspaceRoot: workspace === undefined ? here() : resolve(workspace) }
  if (workspace !== undefined) return { workspaceRoot: workspace }
  throw wrongUsage('For a remote server, give --workspace DIR or --session ID.')
}

const here = (): string => gitRootOf(process.cwd()) ?? process.cwd()

export const showPolicy: Handler<typeof policyFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const place = await policyWorkspace(client, flags, context)
  const found = await client.getPolicy({ query: place })
  if (context.json) return context.out.json(found)
  // A pending policy is shown with its back-test.
  const { pending, settings } = found
  const test = { ...place, ...(settings !== null && { settings }) }
  const past = pending === null ? null : await client.testPolicy({ body: test })
  context.out.print(inForce(found, past, context))
}

function inForce(policy: PolicyInForce, past: PolicyReplay | null, context: Context): string {
  const { workspaceRoot, path, file, faults, ignored, rules, trust, pending } = policy
  const list = (texts: readonly string[]) => texts.map(cleanLine).join('\n')
  const state =
    trust === null && (path !== null || rules.length > 0)
      ? { text: 'not trusted: everything is asked', colour: 'yellow' as const }
      : faults.length > 0
        ? { text: 'errors: everything is asked', colour: 'red' as const }
        : pending !== null
          ? { text: 'waiting for an admin: until then, only what it allowed before applies', colour: 'yellow' as const }
          : file === null
            ? 'none'
            : file.enabled
              ? { text: 'on', colour: 'green' as const }
              : { text: 'off: everything is asked', colour: 'yellow' as const }
  const head = renderFields(
    [
      ['Workspace', workspaceRoot],
      ['File', path ?? 'none; create .signalbox/settings.json there'],
      ['Policy', state],
      ['Trusted', trustWords(trust, workspaceRoot)],
      ['Risk', file && (file.riskLevelThreshold === 'high' ? 'low and high' : 'low only')],
    ],
    context.out,
  )
  const parts: [string, readonly string[]][] = [
    [
      'Errors',
      faults.map(({ line, key, message }) => `${line === null ? '' : `line ${line}: `}${key} ${message}`.trim()),
    ],
    ['Commands', file?.commands ?? []],
    ['Tools', file?.tools ?? []],
    ['Files to write', file?.filePatterns.write ?? []],
    ['Files to read', file?.filePatterns.read ?? []],
    ['Confirmed rules', rules.map(({ kind, pattern }) => `${kind} ${pattern}`)],
    ['Never match', ignored.map(({ entry, why }) => `${entry}: ${why}`)],
  ]
  if (pending !== null)
    parts.push([
      'Waiting for an admin: it was widened while an agent was working',
      [
        ...pending.wider.map((entry) => `+ ${entry}`),
        ...(past === null ? [] : [replaySentence(past)]),
        `To accept it: ${programName()} policy accept ${pending.hash.slice(0, 12)} --workspace ${workspaceRoot}`,
      ],
    ])
  const shown = parts.filter(([, texts]) => texts.length > 0)
  return [head, ...shown.map(([title, texts]) => `${context.out.paint('dim', title)}\n${list(texts)}`)].join('\n\n')
}

const trustWords = (trust: PolicyInForce['trust'], workspaceRoot: string): string => {
  if (trust === null) return `no. To trust it: ${programName()} policy trust ${workspaceRoot}`
  const kinds = {
    config: 'in config.toml',
    repo: 'registered repo',
    worktree: 'worktree of a trusted repo',
    person: 'by name',
  }
  return `yes, ${kinds[trust.kind]}`
}

/** The result of a back-test in one sentence. */
export const replaySentence = ({ asks, answered, differ }: PolicyReplay): string =>
  asks === 0 ? 'No past asks here to test it on.' : sentence(asks, answered, differ.length)

export const testPolicy: Handler<typeof policyTestFlags> = async ({ args: [file], flags }, context) => {
  const settings = file === undefined ? undefined : contentOf(file)
  const since = flags.since === undefined ? undefined : timeBack('since', flags.since, context.now())
  const { client } = await context.api()
  const place = await policyWorkspace(client, flags, context)
  const body = { ...place, ...(settings !== undefined && { settings }), ...(since !== undefined && { since }) }
  const report = await client.testPolicy({ body })
  if (context.json) return context.out.json(report)
  context.out.print(replayWords(report, await namesOfPeople(client), context))
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw wrongUsage(`${file} can't be read: ${readErrorText(error)}.`)
  }
}

function replayWords(report: PolicyReplay, people: ReadonlyMap<string, string>, context: Context): string {
  const { differ, wouldAsk, rules, ignored } = report
  const much = replaySentence(report)
  const again = wouldAsk === 0 ? '' : `${wouldAsk} that were answered automatically would go to people.`
  const differing: Column<PolicyReplay['differ'][number]>[] = [
    { title: 'ASK', cell: ({ askId }) => shortId(askId) },
    { title: 'KIND', cell: ({ kind }) => kind },
    { title: 'TITLE', cell: ({ title }) => title, shrinks: true },
    { title: 'RULE', cell: ({ rule }) => rule, shrinks: true },
    { title: 'CHOSE', cell: ({ chose }) => chose },
    { title: 'BY', cell: ({ by }) => actorText(by, people) },
    { title: 'WHEN', cell: ({ at }) => relativeTime(at, context.now()) },
  ]
  const byRule: Column<PolicyReplay['rules'][number]>[] = [
    { title: 'RULE', cell: ({ rule }) => rule, shrinks: true },
    { title: 'ANSWERED', cell: (rule) => String(rule.answered) },
    { title: 'DIFFER', cell: (rule) => (rule.differ === 0 ? '' : { text: String(rule.differ), colour: 'red' }) },
  ]
  const parts = [
    [much, again].filter((words) => words !== '').join(' '),
    differ.length > 0 ? renderTable(differ, differing, context.out) : '',
    rules.length > 0 ? renderTable(rules, byRule, context.out) : '',
    ignored.map(({ entry, why }) => `No effect: ${cleanLine(entry)} (${why})`).join('\n'),
    differ[0] ? `Show one: ${programName()} asks show ${shortId(differ[0].askId)}` : '',
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

const sentence = (asks: number, answered: number, differ: number): string =>
  `This policy would have answered ${answered} of ${asks} past ${asks === 1 ? 'ask' : 'asks'}; ${
    differ === 0 ? 'none differ' : differ === 1 ? '1 differs' : `${differ} differ`
  } from what you chose.`
