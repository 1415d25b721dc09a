import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import { exit } from '../failure.ts'
import { shortId } from '../ids.ts'
import { formatJson } from '../output.ts'
import { printResult } from '../print-result.ts'
import type { watchFlags } from '../table/terminals.ts'
import { stateLine } from '../terminal/terminal-text.ts'

const every = 300

/** Follows a log, and says what it waits for as that changes. Ctrl-C ends the saying alone. */
export const watch: Handler<typeof watchFlags> = async ({ args: [file = ''], flags }, context) => {
  const { client } = await context.api()
  const started = await client.startTerminal({
    body: {
      sessionType: 'file',
      logFile: context.url === undefined ? resolve(file) : file,
      typescript: flags.script,
      ...(flags['from-start'] && { filePosition: 0 }),
      ...(flags.name !== undefined && { name: flags.name }),
    },
  })
  const id = started.sessionId
  const short = shortId(id)
  if (flags.detach) {
    printResult(context, started, () =>
      [
        `Terminal ${id} follows ${started.logFile}.`,
        `  View:          ${programName()} terminals show ${short}`,
        `  Stop watching: ${programName()} terminals stop ${short}`,
      ].join('\n'),
    )
    return exit.ok
  }
  if (!context.json) context.out.note(`Terminal ${short} follows ${started.logFile}. Ctrl-C closes this view.`)
  const signal = context.interrupted()
  let before = ''
  for (let view = started; !signal.aborted; view = await client.getTerminal({ params: { id } })) {
    const line = stateLine(view)
    if (line !== before) await context.out.write(context.json ? `${formatJson(view, false)}\n` : `${line}\n`)
    before = line
    if (view.state === 'stopped') return exit.ok
    await delay(every, undefined, { signal }).catch(() => {})
  }
  if (!context.json) context.out.note(`Watching continues. To stop it: ${programName()} terminals stop ${short}`)
  return exit.interrupted
}
