import type { Detection, TerminalView } from '../../client/contract/terminals.ts'
import { withProgramName, programName } from '../program-name.ts'
import { cleanText, exactLine, exactText } from '../clean-text.ts'
import { renderFields, type Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import { shortId, shortener } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { terminalListFlags, terminalShowFlags } from '../table/terminals.ts'
import { findTerminal, terminalPages } from '../terminal/find-terminal.ts'
import { seenPrompts } from '../terminal/seen-prompts.ts'
import { promptOf, stateOf, sureness, whatOf } from '../terminal/terminal-text.ts'
import { relativeTime } from '../times.ts'

const none = 'No terminals. Start one: signalbox run -- COMMAND, signalbox ssh HOST or signalbox watch FILE.'

export const listTerminals: Handler<typeof terminalListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const listed: TerminalView[] = []
  for await (const page of terminalPages(client, flags.all ? {} : { state: 'active' })) listed.push(...page)
  noteSeen(context, listed)
  printResult(context, { terminals: listed }, ({ terminals }) => {
    const short = shortener(terminals.map(({ sessionId }) => sessionId))
    const columns: Column<TerminalView>[] = [
      { title: 'ID', cell: ({ sessionId }) => short(sessionId) },
      { title: 'STATE', cell: stateOf },
      { title: 'WHAT', cell: whatOf, shrinks: true },
      { title: 'ASKS', cell: ({ detection }) => promptOf(detection), shrinks: true },
      { title: 'STARTED', cell: ({ startTime }) => relativeTime(startTime, context.now()) },
    ]
    const hint = flags.all ? none : `${none}\nEnded terminals: signalbox terminals --all`
    const table = tableOr(context, terminals, columns, withProgramName(hint))
    const waiting = terminals.find(({ detection, sessionType }) => detection?.waiting && sessionType !== 'file')
    const answer = waiting?.detection?.secret ? '--secret' : 'TEXT'
    return waiting
      ? `${table}\n\nAnswer: ${programName()} terminals answer ${short(waiting.sessionId)} ${answer}`
      : table
  })
}

export const showTerminal: Handler<typeof terminalShowFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findTerminal(client, text)
  const view = await client.getTerminal({ params: { id } })
  const isOpen = view.state === 'active'
  const [detection, screen] = await Promise.all([
    isOpen ? client.terminalDetection({ params: { id } }) : view.detection,
    client.terminalScreen({ params: { id } }).catch(() => null),
  ])
  const shown = { ...view, detection }
  noteSeen(context, [shown])
  printResult(context, { ...shown, screen: screen?.screen ?? null }, () =>
    [
      fields(shown, context),
      ...(screen ? [framed(screen.screen, context)] : []),
      ...(detection?.waiting ? [promptWords(detection, view, context)] : []),
      ...(detection && flags.explain ? [evidence(detection, context)] : []),
    ].join('\n\n'),
  )
}

/** An answer of this shell is for the prompt that was shown. */
const noteSeen = ({ dataDir }: Context, shown: readonly Pick<TerminalView, 'sessionId' | 'detection'>[]): void =>
  seenPrompts(dataDir).note(
    shown.map(({ sessionId, detection }) => ({ terminal: sessionId, promptId: detection?.promptId ?? null })),
  )

const fields = (view: TerminalView, context: Context): string =>
  renderFields(
    [
      ['Terminal', view.sessionId],
      ['What', whatOf(view)],
      ['State', stateOf(view)],
      ['Directory', view.cwd],
      ['Started in', view.parentSessionId === null ? null : `terminal ${shortId(view.parentSessionId)}`],
      ['Started', relativeTime(view.startTime, context.now())],
      ['Size', `${view.cols} × ${view.rows}`],
      [view.sessionType === 'file' ? 'Log' : 'Recording', view.logFile],
    ],
    context.out,
  )

/** Without trailing empty rows. */
function framed(screen: string, { out }: Context): string {
  const rows = cleanText(screen).trimEnd().split('\n')
  const edge = out.paint('dim', '│')
  return rows.map((row) => `${edge} ${row}`.trimEnd()).join('\n')
}

function promptWords(detection: Detection, { sessionId, sessionType }: TerminalView, { out }: Context): string {
  const { choices, suggestedInputs: fitting, secret } = detection
  const options = choices.map(({ key, label, selected, isDefault }) => {
    const marks = [selected ? 'selected' : '', isDefault ? 'default' : ''].filter((mark) => mark !== '').join(', ')
    const text = key === label ? key : `${key}  ${label}`
    return `${selected ? '>' : ' '} ${exactLine(text)}${marks === '' ? '' : ` (${marks})`}`
  })
  // Do not offer a dangerous answer for copying.
  const ready = detection.isDangerous ? 'TEXT' : (fitting[0] ?? 'TEXT')
  const answer = secret ? '--secret' : ready
  return [
    renderFields(
      [
        ['It asks', exactText(detection.promptText).replaceAll('\n', ' ⏎ ')],
        ['Kind', secret ? `${detection.promptType} (input is not stored)` : detection.promptType],
        [
          'Dangerous',
          detection.isDangerous ? { text: exactLine(detection.dangerReason ?? 'yes'), colour: 'red' } : null,
        ],
        ['Enter means', detection.default === null ? null : exactLine(detection.default)],
        ['Fits', fitting.map((input) => exactLine(input)).join(', ')],
        ['Sure', `${sureness(detection.confidence)}, by ${detection.decidedBy.replaceAll('_', ' ')}`],
        ['Prompt', detection.promptId],
      ],
      out,
    ),
    ...options,
    // A log can't be typed into.
    ...(sessionType === 'file'
      ? []
      : [
          '',
          `Answer:   ${programName()} terminals answer ${shortId(sessionId)} ${exactLine(answer)}`,
          `Attach: ${programName()} attach ${shortId(sessionId)}`,
        ]),
  ].join('\n')
}

const evidence = ({ evidence: found }: Detection, { out }: Context): string =>
  [
    out.paint('bold', 'Why'),
    ...found.map(({ signal, says, detail }) => `  ${signal.replaceAll('_', ' ')}: ${says}: ${exactLine(detail)}`),
  ].join('\n')

export const stopTerminal: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findTerminal(client, text)
  const stopped = await client.stopTerminal({ params: { id } })
  printResult(context, stopped, ({ bytesCaptured, logFile, sessionType }) =>
    sessionType === 'file'
      ? `Stopped following ${logFile}; ${bytesCaptured} bytes were read.`
      : `No longer watched; the program keeps running. ${bytesCaptured} bytes are in ${logFile}.`,
  )
}

export const endTerminal: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findTerminal(client, text)
  const { sessionType } = await client.getTerminal({ params: { id } })
  if (sessionType === 'file')
    throw new Failure({
      exit: exit.conflict,
      code: 'follows_a_log',
      message: 'This is a log: there is no program to end.',
      hint: `Stop watching: signalbox terminals stop ${shortId(id)}`,
    })
  const ended = await client.endTerminal({ params: { id } })
  printResult(context, ended, () => `Hung up. Its recording: ${programName()} terminals replay ${shortId(id)}`)
}
