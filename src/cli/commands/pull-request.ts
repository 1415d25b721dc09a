import { readFile } from 'node:fs/promises'
import type { PullRequestAnswer, PullRequestPlan } from '../../client/contract/pull-requests.ts'
import { cleanLine, exactLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { wrongUsage } from '../failure.ts'
import { readErrorText } from '../file-error.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { printResult } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { readAll } from '../read-all.ts'
import type { pullRequestFlags } from '../table/changes.ts'

export const pullRequest: Handler<typeof pullRequestFlags> = async ({ args: [text = ''], flags }, context) => {
  if (flags.body !== undefined && flags['body-file'] !== undefined)
    throw wrongUsage('Give --body or --body-file, not both.')
  const { client } = await context.api()
  const id = await findSession(client, text)
  const body = flags['body-file'] === undefined ? flags.body : await bodyIn(flags['body-file'])
  const words = {
    draft: flags.draft,
    ...(flags.title !== undefined && { title: flags.title }),
    ...(body !== undefined && { body }),
    ...(flags.into !== undefined && { into: flags.into }),
    ...(flags.remote !== undefined && { remote: flags.remote }),
  }
  const plan = await client.planPullRequest({ params: { id }, body: words })
  if (plan.steps.length === 0 && plan.existing !== null) {
    const { url } = plan.existing
    const { branch, commit } = plan
    return printResult(context, { outcome: 'exists' as const, url, branch, commit }, answerText)
  }
  const out = context.json ? context.out.note : context.out.print
  out(planText(plan))
  if (!flags.yes) await confirmed(context, 'Run this?', `${programName()} pull-request ${shortId(id)} --yes`)
  // What was shown is what is run: title and text too, even if the proposal changes meanwhile.
  const { commit, address, title, body: said, into } = plan
  const agreed = { ...words, title, body: said, ...(into !== null && { into }), commit, address }
  printResult(context, await client.openPullRequest({ params: { id }, body: agreed }), answerText)
}

async function bodyIn(path: string): Promise<string> {
  if (path === '-') return readAll(process.stdin)
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw wrongUsage(`Can't read ${cleanLine(path)}: ${readErrorText(error)}.`)
  })
}

function planText({ existing, uncommitted, steps }: PullRequestPlan): string {
  return [
    ...(existing === null
      ? []
      : [`#${existing.number} is ${existing.state}: ${exactLine(existing.url)} ${cleanLine(existing.title)}`]),
    ...(uncommitted === 0
      ? []
      : [`${uncommitted} ${uncommitted === 1 ? 'file is' : 'files are'} not committed, and not part of it.`]),
    'This will run:',
    ...steps.map((words) => `  ${words.map(shown).join(' ')}`),
  ].join('\n')
}

/** As one would type it; line ends are shown as they are written in programs. */
const shown = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${exactLine(word.replaceAll('\n', '\\n')).replaceAll("'", "'\\''")}'`

function answerText({ outcome, url, branch }: PullRequestAnswer): string {
  if (outcome === 'exists') return `It is open already: ${exactLine(url)}`
  return outcome === 'updated'
    ? `${exactLine(branch)} is pushed. It is open already: ${exactLine(url)}`
    : `Opened: ${exactLine(url)}`
}
