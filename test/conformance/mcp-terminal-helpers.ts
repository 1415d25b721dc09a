import { until } from '../support/until.ts'
import { approve, type Agent, type McpHarness, type Said } from './mcp-harness.ts'

export type Found = {
  prompt_id: string
  prompt_text: string
  prompt_type: string
  confidence: number
  matched_pattern: string
  file_position: number
  timestamp: string
  is_dangerous: boolean
  danger_reason?: string
  decided_by: string
  suggested_inputs: string[]
  explanation?: { signal: string; says: string; detail: string }[]
}

/** Starts a command as an agent does, and has a person approve it. */
export async function startCommand(
  harness: McpHarness,
  agent: Agent,
  command: string[],
  more: Record<string, unknown> = {},
): Promise<string> {
  const { ask, done } = await agent.begin('start_session_monitor', { session_type: 'script', command, ...more })
  await harness.answer(ask, approve)
  const said = await done
  if (said.isError) throw new Error(`${command.join(' ')} was not started: ${JSON.stringify(said)}`)
  return String(said['session_id'])
}

/** A shell that does this and nothing else. */
export const shell = (script: string): string[] => ['sh', '-c', script]

export const waiting = (agent: Agent, id: string, about: RegExp): Promise<Found> =>
  until(
    async () => {
      const said = await agent.call('detect_input_prompt', { session_id: id })
      const detection = said['detection'] as Found | undefined
      return said['waiting'] === true && detection && about.test(detection.prompt_text) ? detection : null
    },
    { what: `a prompt like ${about}` },
  )

export type Read = Said & { text: string; cursor: string; epoch: number; truncated: boolean; has_more: boolean }

export const read = async (agent: Agent, id: string, more: Record<string, unknown> = {}): Promise<Read> =>
  (await agent.call('get_session_updates', { session_id: id, ...more })) as Read

/** Reads on from a cursor until something is printed. */
export async function readUntil(agent: Agent, id: string, about: RegExp, from?: string): Promise<Read> {
  let text = ''
  let cursor = from
  return until(
    async () => {
      const said = await read(agent, id, cursor === undefined ? {} : { cursor })
      if (said.isError) throw new Error(JSON.stringify(said))
      text += said.text
      cursor = said.cursor
      return about.test(text) && !said.has_more ? { ...said, text } : null
    },
    { what: `output like ${about}` },
  )
}
