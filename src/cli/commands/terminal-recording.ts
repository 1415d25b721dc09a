import { setTimeout as delay } from 'node:timers/promises'
import { pathOf } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import { isList, jsonOrNull } from '../../lib/parse-json.ts'
import { programName } from '../program-name.ts'
import { cleanLine, cleanText } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, wrongUsage } from '../failure.ts'
import { shortId } from '../ids.ts'
import { formatJson } from '../output.ts'
import { saveChunks } from '../save-chunks.ts'
import { printResult } from '../print-result.ts'
import type {
  terminalCastFlags,
  terminalReplayFlags,
  terminalSearchFlags,
  terminalUpdateFlags,
} from '../table/terminals.ts'
import { findTerminal } from '../terminal/find-terminal.ts'
import { createScreenModes } from '../terminal/screen-modes.ts'
import { relativeTime, timeBack } from '../times.ts'

const every = 500

export const showUpdates: Handler<typeof terminalUpdateFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findTerminal(client, text)
  const read = (cursor: string | undefined) => {
    const query = {
      ...(cursor !== undefined && { cursor }),
      ...(flags.lines !== undefined && { maxLines: flags.lines }),
    }
    return client.terminalUpdates({ params: { id }, query })
  }
  if (!flags.follow) {
    const updates = await read(flags.cursor)
    if (context.json) return context.out.json(updates)
    if (updates.truncated) context.out.note('Earlier output is no longer kept.')
    await context.out.write(endLine(cleanText(updates.text)))
    const more = updates.hasMore ? 'More' : 'Later'
    return context.out.note(`${more}: ${programName()} terminals updates ${shortId(id)} --cursor ${updates.cursor}`)
  }
  const signal = context.interrupted()
  for (let cursor = flags.cursor; !signal.aborted;) {
    const updates = await read(cursor)
    cursor = updates.cursor
    if (context.json && updates.text !== '') await context.out.write(`${formatJson(updates, false)}\n`)
    else if (!context.json) await context.out.write(cleanText(updates.text))
    if (updates.hasMore) continue
    const { state } = await client.getTerminal({ params: { id } })
    if (state === 'stopped') return exit.ok
    await delay(every, undefined, { signal }).catch(() => {})
  }
  return exit.interrupted
}

const endLine = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

async function recordingOf(context: Context, text: string, signal: AbortSignal, version: '2' | '3' = '2') {
  const connection = await context.api()
  const id = await findTerminal(connection.client, text)
  const path = pathOf(api.terminalCast, { params: { id }, query: { version } })
  const { chunks } = await connection.stream(path, { accept: '*/*' }, signal)
  return chunks
}

export const cast: Handler<typeof terminalCastFlags> = async ({ args: [text = ''], flags }, context) => {
  const version = flags.asciicast === '3' ? '3' : '2'
  const chunks = await recordingOf(context, text, new AbortController().signal, version)
  if (flags.output === undefined) {
    const decoder = new TextDecoder()
    for await (const chunk of chunks) await context.out.write(decoder.decode(chunk, { stream: true }))
    return
  }
  const { bytes } = await saveChunks(flags.output, chunks)
  if (context.json) context.out.json({ file: flags.output, bytes })
  else context.out.print(`Recording written to ${flags.output}. Play it: asciinema play ${flags.output}`)
}

function above0(flag: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual
  const value = Number(text)
  if (Number.isFinite(value) && value > 0) return value
  throw wrongUsage(`Invalid --${flag} "${cleanLine(text)}".`, 'Give a number such as 2 or 0.5.')
}

/** Plays the recording in this terminal; without one, prints only the text. */
export const replay: Handler<typeof terminalReplayFlags> = async ({ args: [text = ''], flags }, context) => {
  const speed = above0('speed', flags.speed, 1)
  const longest = above0('idle', flags.idle, 2)
  const isScreen = Number.isFinite(context.out.width)
  const signal = context.interrupted()
  const modes = createScreenModes()
  let last = 0
  try {
    for await (const { seconds, text: printed } of printedIn(await recordingOf(context, text, signal))) {
      if (isScreen) {
        const pause = Math.min(Math.max(0, seconds - last), longest) / speed
        if (pause > 0) await delay(pause * 1000, undefined, { signal })
        modes.seen(Buffer.from(printed))
      }
      last = seconds
      await context.out.write(isScreen ? printed : cleanText(printed))
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (isScreen) await context.out.write(modes.undo())
  }
  return signal.aborted ? exit.interrupted : exit.ok
}

export const search: Handler<typeof terminalSearchFlags> = async ({ args, flags }, context) => {
  const { client } = await context.api()
  const now = context.now()
  const found = await client.searchTerminals({
    query: {
      q: args.join(' '),
      regex: flags.regex,
      ...(flags.session !== undefined && { sessionId: await findTerminal(client, flags.session) }),
      ...(flags.since !== undefined && { since: timeBack('since', flags.since, now) }),
      ...(flags.until !== undefined && { until: timeBack('until', flags.until, now) }),
      ...(flags.context !== undefined && { contextLines: flags.context }),
      ...(flags.limit !== undefined && { maxResults: flags.limit }),
    },
  })
  printResult(context, found, ({ matches, truncated, didYouMean }) => {
    const { paint } = context.out
    const plainly = (line: string) => cleanText(line).replaceAll('\n', ' ').trimEnd()
    const dim = (line: string) => `  ${paint('dim', plainly(line))}`
    const blocks = matches.map(({ sessionId, at, line, before, after }) =>
      [
        paint('bold', `${shortId(sessionId)}  ${relativeTime(at, now)}`),
        ...before.map(dim),
        `> ${plainly(line)}`,
        ...after.map(dim),
      ].join('\n'),
    )
    const meant = didYouMean.length > 0 ? ` Did you mean ${didYouMean.map(cleanLine).join(', ')}?` : ''
    if (matches.length === 0) blocks.push(`No matches.${meant}`)
    if (truncated) blocks.push('Too much to search. Narrow it with --since or --session.')
    return blocks.join('\n\n')
  })
}

/** Printed text, and when. */
type PrintedPart = { seconds: number; text: string }

/** Reads asciicast v2 as a stream; only output events count. */
export async function* printedIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<PrintedPart> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const printed = printedOn(line)
      if (printed) yield printed
    }
  }
  const last = printedOn(rest)
  if (last) yield last
}

function printedOn(line: string): PrintedPart | null {
  if (!line.startsWith('[')) return null
  // Null for a line that was being written when it was read.
  const [seconds, kind, text] = jsonOrNull(line, isList) ?? []
  return kind === 'o' && typeof seconds === 'number' && typeof text === 'string' ? { seconds, text } : null
}
