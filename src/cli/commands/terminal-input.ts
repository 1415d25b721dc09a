import type { Client } from '../../client/client.ts'
import type { Detection } from '../../client/contract/terminals.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { programName } from '../program-name.ts'
import { cleanText } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { shortId } from '../ids.ts'
import { readAll } from '../read-all.ts'
import { secretWarning } from '../secret-warning.ts'
import type { terminalAnswerFlags } from '../table/terminals.ts'
import { askSecretly } from '../terminal/ask-secretly.ts'
import { findTerminal } from '../terminal/find-terminal.ts'
import { promptOf } from '../terminal/terminal-text.ts'

type InputReply = Awaited<ReturnType<Client['terminalInput']>>

export const answerTerminal: Handler<typeof terminalAnswerFlags> = async (
  { args: [terminal = '', ...words], flags },
  context,
) => {
  if (flags.secret && words.length > 0)
    throw wrongUsage(
      "A secret can't be given on the command line: it would show in the process list and the shell history.",
      'Leave it out to be prompted for it, or pipe it in.',
    )
  const { client } = await context.api()
  const id = await findTerminal(client, terminal)
  const detection = await detectionOf(client, id)
  const expectPrompt = flags.expect ?? detection.promptId
  if (expectPrompt === null) throw asksNothing(id, detection)
  // Two people may answer at once: whoever comes second must not answer the next question unseen.
  if (flags.expect === undefined && Date.parse(detection.timestamp) > performance.timeOrigin)
    throw notSeen(id, detection)
  const secret = flags.secret || (detection.secret && words.length === 0)
  const text = secret ? await secretFor(detection, context) : words.join(' ')
  if (text === '' && words.length === 0 && !secret)
    throw wrongUsage('The answer is missing.', `Only Enter: ${programName()} terminals keys ${shortId(id)} enter`)
  const typed = await client.terminalInput({
    params: { id },
    body: { text, expectPrompt, secret: secret || detection.secret, pressEnter: !flags['no-enter'] },
  })
  if (detection.secret && words.length > 0 && !context.json) context.out.note(secretWarning(id))
  return sayTyped(context, typed, id)
}

export const pressKeys: Handler = async ({ args: [terminal = '', ...keys] }, context) => {
  const { client } = await context.api()
  const id = await findTerminal(client, terminal)
  if (keys.length === 0) throw wrongUsage('Missing keys.', 'Examples: up, down, enter, tab, esc, space, ctrl-c')
  // Keys include their own Enter; with false the result would not be checked.
  const typed = await client.terminalInput({ params: { id }, body: { keys, pressEnter: true } })
  return sayTyped(context, typed, id)
}

async function secretFor(detection: Detection, context: Context): Promise<string> {
  if (context.keyboard === null) return (await readAll(process.stdin)).replace(/\r?\n$/, '')
  const secret = await askSecretly(`${promptOf(detection) || 'Secret'} `)
  if (secret === null) throw new Failure({ exit: exit.interrupted, code: 'given_up', message: 'Nothing was typed.' })
  return secret
}

async function detectionOf(client: Client, id: SessionId): Promise<Detection> {
  const { sessionType } = await client.getTerminal({ params: { id } })
  if (sessionType !== 'file') return client.terminalDetection({ params: { id } })
  throw new Failure({
    exit: exit.conflict,
    code: 'no_keyboard',
    message: 'This is a read-only log.',
    hint: 'Answer in the program that writes the log.',
  })
}

function asksNothing(id: string, { state }: Detection): Failure {
  const typeAnyway = state === 'exited' ? [] : [`Type anyway: ${programName()} attach ${shortId(id)}`]
  return new Failure({
    exit: exit.conflict,
    code: 'not_waiting',
    message: state === 'exited' ? 'The program has ended.' : 'It is not waiting for input.',
    hint: [`See its screen: ${programName()} terminals show ${shortId(id)}`, ...typeAnyway].join('\n'),
  })
}

function notSeen(id: string, detection: Detection): Failure {
  return new Failure({
    exit: exit.conflict,
    code: 'refused_stale',
    message: `Nothing was typed: this prompt is newer than your command: ${promptOf(detection)}`,
    hint: `To answer it: ${programName()} terminals answer ${shortId(id)} TEXT --expect ${detection.promptId ?? ''}`,
  })
}

function sayTyped(context: Context, typed: InputReply, id: string): number {
  const refused = {
    refused_stale: 'Nothing was typed: the prompt has changed.',
    refused_unreadable: 'Nothing was typed: it is unknown whether the program is waiting for input.',
  }
  const { status, screenAfter } = typed
  if (status === 'refused_stale' || status === 'refused_unreadable')
    throw new Failure({
      exit: exit.conflict,
      code: status,
      message: refused[status],
      hint: `See what it asks now: ${programName()} terminals show ${shortId(id)}`,
    })
  if (context.json) context.out.json(typed)
  else {
    const rows = cleanText(screenAfter).trimEnd().split('\n').slice(-lastRows)
    const said = status === 'delivered' ? 'Delivered.' : 'Typed; the result is uncertain.'
    context.out.print([said, ...rows.map((row) => `${context.out.paint('dim', '│')} ${row}`.trimEnd())].join('\n'))
  }
  return exit.ok
}

const lastRows = 6
