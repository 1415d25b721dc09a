import type { Client } from '../../client/client.ts'
import type { Detection } from '../../client/contract/terminals.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { programName } from '../program-name.ts'
import { cleanText, exactLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { confirmed } from '../confirm.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { shortId } from '../ids.ts'
import { readAll } from '../read-all.ts'
import { secretWarning } from '../secret-warning.ts'
import type { terminalAnswerFlags, terminalKeysFlags } from '../table/terminals.ts'
import { askSecretly } from '../terminal/ask-secretly.ts'
import { findTerminal } from '../terminal/find-terminal.ts'
import { seenPrompts } from '../terminal/seen-prompts.ts'
import { promptOf } from '../terminal/terminal-text.ts'

type InputReply = Awaited<ReturnType<Client['terminalInput']>>
type InputBody = Parameters<Client['terminalInput']>[0]['body']
type Named = { prompt: string; id: SessionId; detection: Detection }

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
  if (detection.promptId === null && flags.expect === undefined) throw asksNothing(id, detection)
  const prompt = flags.expect ?? (await promptSeen({ id, detection, line: words.join(' ') }, context))
  const secret = flags.secret || (detection.secret && words.length === 0)
  const text = secret ? await secretFor(detection, context) : words.join(' ')
  if (text === '' && words.length === 0 && !secret)
    throw wrongUsage('The answer is missing.', `Only Enter: ${programName()} terminals keys ${shortId(id)} enter`)
  const body = { text, secret: secret || detection.secret, pressEnter: !flags['no-enter'] }
  const typed = await typeConfirmed({ prompt, id, detection }, { body, isSure: flags.yes }, context)
  if (detection.secret && words.length > 0 && !context.json) context.out.note(secretWarning(id))
  return sayTyped(context, typed, id)
}

export const pressKeys: Handler<typeof terminalKeysFlags> = async (
  { args: [terminal = '', ...keys], flags },
  context,
) => {
  const { client } = await context.api()
  const id = await findTerminal(client, terminal)
  if (keys.length === 0) throw wrongUsage('Missing keys.', 'Examples: up, down, enter, tab, esc, space, ctrl-c')
  // Keys include their own Enter; with false the result would not be checked.
  const body = { keys, pressEnter: true }
  const detection = keys.some((key) => !answersNothing.test(key)) ? await detectionOf(client, id) : null
  // Programs that take commands and keys at any time ask nothing.
  const isAnswer = detection?.waiting && detection.promptType !== 'command' && detection.promptType !== 'unknown'
  if (!isAnswer) return sayTyped(context, await client.terminalInput({ params: { id }, body }), id)
  const prompt = await promptSeen({ id, detection, line: keys.join(' ') }, context)
  const typed = await typeConfirmed({ prompt, id, detection }, { body, isSure: flags.yes }, context)
  return sayTyped(context, typed, id)
}

const answersNothing = /^(?:up|down|left|right|home|end|page[-_]?(?:up|down)|esc(?:ape)?|(?:ctrl|c)-.)$/i

/**
 * The prompt that the person saw: the last one of this terminal that was shown in their shell. Somebody else may have
 * answered it since, so a prompt that was not shown here is shown first.
 */
async function promptSeen(
  { id, detection, line }: { id: SessionId; detection: Detection; line: string },
  context: Context,
): Promise<string> {
  const { promptId } = detection
  const seen = seenPrompts(context.dataDir)
  const last = seen.of(id)
  if (promptId === null || last === promptId) return last ?? ''
  if (context.keyboard !== null && last === null) {
    context.out.note(`It asks: ${promptOf(detection)}`)
    const what = line === '' ? 'Answer it?' : `Type "${exactLine(line)}"?`
    await confirmed(context, what, `add --expect ${promptId}`)
  } else {
    seen.note([{ terminal: id, promptId }])
    throw notSeen(id, detection, last !== null)
  }
  seen.note([{ terminal: id, promptId }])
  return promptId
}

/** Types it, and asks again before it goes to a dangerous prompt. */
async function typeConfirmed(
  { prompt, id, detection }: Named,
  { body, isSure }: { body: InputBody; isSure: boolean },
  context: Context,
): Promise<InputReply> {
  const { client } = await context.api()
  const send = (sure: boolean) =>
    client.terminalInput({ params: { id }, body: { ...body, expectPrompt: prompt, ...(sure && { confirmed: true }) } })
  try {
    return await send(isSure)
  } catch (error) {
    const isUnconfirmed = error instanceof Error && 'code' in error && error.code === 'danger_not_confirmed'
    if (!isUnconfirmed || context.keyboard === null) throw error
    context.out.note(
      `It asks: ${promptOf(detection)}\nDangerous: ${exactLine(detection.dangerReason ?? 'it may do damage')}.`,
    )
    await confirmed(context, body?.text && !body.secret ? `Type "${exactLine(body.text)}"?` : 'Type it?', 'add --yes')
    return send(true)
  }
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

function notSeen(id: string, detection: Detection, hasChanged: boolean): Failure {
  const why = hasChanged ? 'the prompt has changed' : 'its prompt was not shown here before'
  return new Failure({
    exit: exit.conflict,
    code: 'refused_stale',
    message: `Nothing was typed: ${why}: ${promptOf(detection)}`,
    hint: `To answer it, repeat your command, or: ${programName()} terminals answer ${shortId(id)} TEXT --expect ${detection.promptId ?? ''}`,
  })
}

async function sayTyped(context: Context, typed: InputReply, id: SessionId): Promise<number> {
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
    const next = await nextPrompt(context, id)
    const shown = rows.map((row) => `${context.out.paint('dim', '│')} ${row}`.trimEnd())
    context.out.print([said, ...shown, ...(next === null ? [] : [`It asks now: ${next}`])].join('\n'))
  }
  return exit.ok
}

/** What it asks next is shown, so that it can be answered. */
async function nextPrompt(context: Context, id: SessionId): Promise<string | null> {
  const { client } = await context.api()
  const now = await client.terminalDetection({ params: { id } }).catch(() => null)
  if (!now?.waiting || now.promptId === null) return null
  seenPrompts(context.dataDir).note([{ terminal: id, promptId: now.promptId }])
  return promptOf(now)
}

const lastRows = 6
