import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { PolicyInForce } from '../../domain/policy/schema.ts'
import { programName } from '../program-name.ts'
import { cleanLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { printResult } from '../print-result.ts'
import type { policyFlags } from '../table/policy.ts'
import { gitRootOf } from '../workspace-choice.ts'
import { policyWorkspace, replaySentence } from './policy.ts'

/** The directory itself: a clone inside a trusted directory is a separate workspace. */
function rootFor(path: string | undefined, context: Context): string {
  if (context.url !== undefined) {
    if (path === undefined) throw wrongUsage('For a remote server, give the directory.')
    return path
  }
  const wanted = path === undefined ? (gitRootOf(process.cwd()) ?? process.cwd()) : resolve(path)
  try {
    return realpathSync(wanted)
  } catch {
    throw new Failure({
      exit: exit.notFound,
      code: 'directory_not_found',
      message: `Directory ${wanted} not found.`,
      hint: 'Give the directory that holds .signalbox/settings.json.',
    })
  }
}

export const trustPolicy: Handler = async ({ args: [path] }, context) => {
  const { client } = await context.api()
  const workspaceRoot = rootFor(path, context)
  const { hash } = await client.getPolicy({ query: { workspaceRoot } })
  const policy = await client.trustPolicy({ body: { workspaceRoot, hash } })
  printResult(context, policy, trustedWords)
}

function trustedWords({ workspaceRoot, path, file, faults }: PolicyInForce): string {
  const entries = file
    ? [...file.commands, ...file.tools, ...file.filePatterns.write, ...file.filePatterns.read].length
    : 0
  const what =
    path === null
      ? 'No policy there yet.'
      : faults.length > 0 || file === null
        ? 'Its policy has errors, so everything is asked until they are fixed.'
        : file.enabled
          ? `Its policy applies from now on (${entries} ${entries === 1 ? 'entry' : 'entries'}).`
          : 'Its policy is not enabled.'
  return `Trusted: ${workspaceRoot}. ${what}\nSee it with: ${programName()} policy --workspace ${workspaceRoot}`
}

export const untrustPolicy: Handler = async ({ args: [path] }, context) => {
  const { client } = await context.api()
  const policy = await client.untrustPolicy({ body: { workspaceRoot: rootFor(path, context) } })
  printResult(context, policy, ({ workspaceRoot, trust }) =>
    trust === null
      ? `No longer trusted: ${workspaceRoot}. Everything there is asked.`
      : `No longer trusted by name: ${workspaceRoot}. Still trusted, because ${trust.kind === 'repo' ? 'it is a registered repo' : 'it is in config.toml'}.`,
  )
}

const shortest = 8

/** Confirms exactly the text that was reviewed, by its hash. */
export const acceptPolicy: Handler<typeof policyFlags> = async ({ args: [given = ''], flags }, context) => {
  const { client } = await context.api()
  const place = await policyWorkspace(client, flags, context)
  const { pending, workspaceRoot, settings } = await client.getPolicy({ query: place })
  if (pending === null)
    throw new Failure({
      exit: exit.conflict,
      code: 'policy_not_pending',
      message: `No change to the policy in ${workspaceRoot} is waiting for confirmation.`,
      hint: `See what is in force: ${programName()} policy`,
    })
  if (given.length < shortest || !pending.hash.startsWith(given.toLowerCase()))
    throw new Failure({
      exit: exit.conflict,
      code: 'policy_changed',
      message: `The policy waiting for confirmation is ${pending.hash.slice(0, 12)}, not ${cleanLine(given)}.`,
      hint: `Review it again: ${programName()} policy --workspace ${workspaceRoot}`,
    })
  const report = await client.testPolicy({ body: { ...place, ...(settings !== null && { settings }) } })
  const policy = await client.confirmPolicy({ body: { workspaceRoot, hash: pending.hash } })
  printResult(context, policy, () =>
    [
      `Confirmed. From now on this applies too:`,
      ...pending.wider.map((entry) => `  ${cleanLine(entry)}`),
      replaySentence(report),
    ].join('\n'),
  )
}
