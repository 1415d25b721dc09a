import { withProgramName, programName } from '../program-name.ts'
import type { AgentState } from '../../domain/agent/about.ts'
import { cleanLine } from '../clean-text.ts'
import { renderFields, type Column } from '../columns.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { fieldOf, listField, textField } from '../json-fields.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import { relativeTime } from '../times.ts'
import { causeText } from '../display-text.ts'
import type { Session } from '../../domain/session/schema.ts'
import { stateWords } from '../../domain/session/phase.ts'
import type { restartAgentFlags } from '../table/session-agent.ts'

/** Why a session makes no progress, if it makes none. */
export const why: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  printResult(context, await client.diagnoseSession({ params: { id } }), ({ cause, since, detail, hint }) =>
    renderFields(
      [
        ['Session', id],
        ['State', causeText(cause)],
        ['Since', relativeTime(since, context.now())],
        ['Detail', detail],
        ['Do', hint === null ? null : withProgramName(hint.replaceAll(/\bID\b/g, shortId(id)))],
      ],
      context.out,
    ),
  )
}

type ModeChoice = { id: string; name: string | null }

const choiceLines = (choices: readonly ModeChoice[], current: string | null): string[] =>
  choices.map(({ id, name }) => {
    const label = name === null || name === id ? '' : `  ${cleanLine(name)}`
    return `  ${id === current ? '*' : ' '} ${cleanLine(id)}${label}`
  })

async function stateOf(context: Context, text: string) {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const { agentState } = await client.getSession({ params: { id } })
  if (agentState) return { client, id, agentState }
  throw wrongUsage(
    `Signalbox does not run the agent of session ${shortId(id)}.`,
    'Only hosted agents have modes and options.',
  )
}

export const setMode: Handler = async ({ args: [text = '', modeId] }, context) => {
  const { client, id, agentState } = await stateOf(context, text)
  if (modeId === undefined) return listModes(context, agentState)
  const state = await client.setAgentMode({ params: { id }, body: { modeId } })
  printResult(context, state, () => `Session ${shortId(id)} is in mode ${cleanLine(modeId)}.`)
}

function listModes(context: Context, { modes }: AgentState): void {
  const choices = listField(modes, 'availableModes').flatMap((mode): ModeChoice[] => {
    const id = textField(mode, 'id')
    return id === null ? [] : [{ id, name: textField(mode, 'name') }]
  })
  printResult(context, modes, () =>
    choices.length === 0
      ? `This agent has no modes. Its options: ${programName()} sessions option ID`
      : ['Modes (* is the current one)', ...choiceLines(choices, textField(modes, 'currentModeId'))].join('\n'),
  )
}

export const setOption: Handler = async ({ args: [text = '', name, raw] }, context) => {
  const { client, id, agentState } = await stateOf(context, text)
  if (name === undefined) return listOptions(context, agentState)
  if (raw === undefined) throw wrongUsage(`Value of ${name}?`, `See: ${programName()} sessions option ${shortId(id)}`)
  const option = optionsIn(agentState).find((one) => one.id === name)
  const isSwitch = option?.type === 'boolean' && /^(?:true|false|on|off|yes|no)$/i.test(raw)
  const value = isSwitch ? /^(?:true|on|yes)$/i.test(raw) : raw
  const state = await client.setAgentOption({ params: { id }, body: { optionId: name, value } })
  printResult(context, state, () => `Session ${shortId(id)}: ${cleanLine(name)} set to ${cleanLine(raw)}.`)
}

function optionsIn({ configOptions }: AgentState) {
  return (Array.isArray(configOptions) ? configOptions : []).flatMap((option) => {
    const id = textField(option, 'id')
    if (id === null) return []
    // Some agents group their options.
    const choices = listField(option, 'options').flatMap((entry) =>
      [entry, ...listField(entry, 'options')].flatMap((one): ModeChoice[] => {
        const value = textField(one, 'value')
        return value === null ? [] : [{ id: value, name: textField(one, 'name') }]
      }),
    )
    return [
      {
        id,
        type: textField(option, 'type'),
        name: textField(option, 'name'),
        choices,
        current: fieldOf(option, 'currentValue'),
      },
    ]
  })
}

function listOptions(context: Context, state: AgentState): void {
  printResult(context, state.configOptions, () => {
    const blocks = optionsIn(state).map(({ id, name, choices, current }) => {
      const title = `${cleanLine(id)}${name === null ? '' : ` (${cleanLine(name)})`}: ${cleanLine(String(current))}`
      return [title, ...choiceLines(choices, String(current))].join('\n')
    })
    return blocks.length === 0 ? 'This agent has no options.' : blocks.join('\n')
  })
}

const now = (context: Context, session: Session): void =>
  printResult(context, session, (one) => `Session ${shortId(one.id)} is ${stateWords(one)}.`)

export const sleepSession: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  now(context, await client.sleepSession({ params: { id }, body: {} }))
}

export const wakeSession: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  now(context, await client.wakeSession({ params: { id }, body: {} }))
}

export const restartAgent: Handler<typeof restartAgentFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const onWake = flags['on-wake']
  now(context, await client.restartAgent({ params: { id }, body: onWake === undefined ? {} : { onWake } }))
}

/** What the agent remembers of this folder, also from outside Signalbox. */
export const listConversations: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const found = await client.listConversations({ params: { id } })
  printResult(context, found, ({ conversations }) => {
    const rows = (Array.isArray(conversations) ? conversations : []).map((one) => ({
      id: textField(one, 'sessionId') ?? '',
      title: textField(one, 'title') ?? '',
      at: textField(one, 'updatedAt'),
    }))
    const columns: Column<(typeof rows)[number]>[] = [
      { title: 'CONVERSATION', cell: (row) => row.id },
      { title: 'TITLE', cell: (row) => row.title, shrinks: true },
      { title: 'LAST', cell: ({ at }) => (at === null ? '' : relativeTime(at, context.now())) },
    ]
    return tableOr(context, rows, columns, 'The agent has no conversations here.')
  })
}
