import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { printed, type MatrixSetup } from '../setup.ts'
import type { Prepare, Prepared } from '../spec.ts'
import { callTool } from '../tool-call.ts'
import { taskTools } from './schedules.ts'

/** How a tool is called. */
export type ToolSpec = {
  readonly on?: Prepare
  readonly fresh?: boolean
  readonly input?: (subject: Prepared, setup: MatrixSetup) => Record<string, unknown>
}

const diff = { title: 'Mend it', file_path: 'fence.txt', diff: 'green\n' }
const of = (subject: Prepared, name: string) => String(subject.more?.[name])

/** A session with everything an agent can have. */
const everything: Prepare = async (setup) => {
  const subject = await setup.session()
  const { self } = setup.persons
  const headers = setup.headers('agnt', subject)
  const asked = await callTool(setup, headers, 'ask_approval', diff)
  const prompted = await callTool(setup, headers, 'forward_prompt', { prompt_text: 'Go on?' })
  const questioned = await callTool(setup, headers, 'ask_user_question', { title: 'Colour', question: 'Which?' })
  const requestOf = ({ answer }: typeof asked) => String(answer.result?.structuredContent?.['request_id'])
  const checkpoint = await self.api.post<{ id: string }>(`/api/sessions/${subject.id}/checkpoints`, {})
  const words = `heard ${randomUUID()}`
  await callTool(setup, headers, 'remote_log', { message: words })
  const { terminal } = setup
  await self.api.post(`/api/terminals/${terminal.id}/grants`, { sessionId: subject.id })
  const more = {
    words,
    askId: requestOf(asked),
    promptId: requestOf(prompted),
    questionId: requestOf(questioned),
    checkpointId: checkpoint.id,
    terminalId: terminal.id,
  }
  return { ...subject, more }
}

const marked = (name: string): Prepare => {
  const prepare: Prepare = async (setup) => {
    const subject = await shared(setup)
    return { ...subject, marker: name === 'id' ? subject.id : of(subject, name) }
  }
  return prepare
}

const known = new WeakMap<MatrixSetup, Promise<Prepared>>()
function shared(setup: MatrixSetup): Promise<Prepared> {
  const found = known.get(setup) ?? everything(setup)
  known.set(setup, found)
  return found
}

const approved: Prepare = async (setup) => {
  const subject = await setup.session()
  const asked = await callTool(setup, setup.headers('agnt', subject), 'ask_approval', diff)
  const askId = String(asked.answer.result?.structuredContent?.['request_id'])
  await setup.persons.self.api.post(`/api/asks/${askId}/answer`, { outcome: 'approve' })
  return { ...subject, more: { askId } }
}

const granted: Prepare = async (setup) => {
  const terminal = setup.terminals.pop()
  if (!terminal) throw new Error('there are no terminals left: make more in setup.ts')
  const subject = await setup.session()
  await setup.persons.self.api.post(`/api/terminals/${terminal.id}/grants`, { sessionId: subject.id })
  return { ...subject, more: { terminalId: terminal.id } }
}

const interrupted: Prepare = async (setup) => {
  const subject = await setup.session()
  await setup.api('agnt', subject).post(`/api/sessions/${subject.id}/interrupt`, {})
  return subject
}

const request = (name: string): ToolSpec => ({ on: shared, input: (subject) => ({ request_id: of(subject, name) }) })
const onTerminal = (more: Record<string, unknown> = {}): ToolSpec => ({
  on: shared,
  input: (subject) => ({ session_id: of(subject, 'terminalId'), ...more }),
})
const watching = (folder: string, file: string): ToolSpec => ({
  on: shared,
  input: (_subject, setup) => ({ session_type: 'file', log_file: join(setup.folder, folder, file) }),
})
const session: ToolSpec = { on: shared, input: ({ id }) => ({ session_id: id }) }
const fixed = (input: Record<string, unknown>): ToolSpec => ({ on: shared, input: () => input })
const newAsk: ToolSpec = { on: (setup) => setup.session(), fresh: true, input: () => diff }
const apply: ToolSpec = { on: approved, fresh: true, input: (subject) => ({ request_id: of(subject, 'askId') }) }
const automatic = fixed({ tool_name: 'read_file', kind: 'file_operation' })
const question = fixed({ prompt_text: 'Go on?' })
const painting = { prompt_text: 'Paint it?' }

export const toolCalls: Readonly<Record<string, ToolSpec>> = {
  ...taskTools,
  ask_approval: newAsk,
  'ask_approval ~ the answer to a request': request('askId'),
  'check_clearance ~ the answer to a request': request('askId'),
  accept_diff: apply,
  check_diff: apply,
  check_auto_approve: automatic,
  auto_check: automatic,
  forward_prompt: question,
  transmit: question,
  'forward_prompt ~ the answer to a request': request('promptId'),
  wait_for_instruction: fixed({ message: 'Done' }),
  standby: fixed({ message: 'Done' }),
  heartbeat: fixed({}),
  ping: fixed({}),
  ask_user_question: fixed({ title: 'Colour', question: 'Which colour?' }),
  'ask_user_question ~ the answer to a request': request('questionId'),
  list_destinations: fixed({}),
  send_message: fixed({ text: 'hello' }),
  send_file: fixed({ path: 'README.md' }),
  edit_message: fixed({ message_id: 'last', text: 'hello' }),
  add_reaction: fixed({ message_id: 'last', emoji: '👍' }),
  install_packages: fixed({ apt: ['jq'], reason: 'JSON' }),
  add_mcp_server: fixed({ name: 'files', url: 'https://example.com/mcp', reason: 'files' }),
  create_agent: fixed({ name: 'Scout', instructions: 'Look.' }),
  request_credential: fixed({ name: 'TOKEN', host: 'api.example.com', reason: 'calls' }),
  remote_log: fixed({ message: 'hello' }),
  broadcast: fixed({ message: 'hello' }),
  recover_state: session,
  'recover_state ~ an interrupted session': { ...session, on: interrupted, fresh: true },
  reboot: session,
  set_operational_mode: fixed({ mode: 'remote' }),
  switch_freq: fixed({ mode: 'remote' }),
  create_checkpoint: fixed({}),
  list_checkpoints: { ...fixed({}), on: marked('checkpointId') },
  'start_session_monitor ~ a log in terminal.watch_roots': watching('logs', 'build.log'),
  'start_session_monitor ~ a log elsewhere': watching('outside', 'private.log'),
  stop_session_monitor: { ...onTerminal(), on: granted, fresh: true },
  list_session_monitors: { ...fixed({}), on: marked('terminalId') },
  get_session_updates: onTerminal(),
  detect_input_prompt: onTerminal(),
  track_input_event: onTerminal({ ...painting, input_text: 'green', input_source: 'ai_suggested' }),
  infer_expected_input: fixed(painting),
  'infer_expected_input ~ of a terminal': onTerminal(painting),
  search_session_history: { ...fixed({ query: printed, max_results: 100 }), on: marked('terminalId') },
  send_session_input: onTerminal({ text: 'hello' }),
  catch_up: session,
  permission_prompt: fixed({ tool_name: 'Bash', input: { command: 'ls' } }),
  'signalbox://session': { on: marked('id') },
  'signalbox://inbox': { on: marked('askId') },
  'signalbox://messages': { on: marked('words') },
}
