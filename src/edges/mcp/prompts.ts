import { ProtocolError, ProtocolErrorCode, type GetPromptResult, type Prompt } from '@modelcontextprotocol/server'

const work = [
  'Your operator follows your work and may be away from the desk.',
  'Call recover_state first and continue where you were. Before every change of files call ask_approval with a unified diff and',
  'wait; when it is approved call accept_diff and do not write the files yourself. Before every command call check_auto_approve',
  'with kind terminal_command. Call heartbeat every minute or two with a progress_snapshot, and do what pending_steering says.',
  'If you are not sure, call forward_prompt. When you are done, call wait_for_instruction.',
].join(' ')

const known: readonly (Prompt & { text: string })[] = [
  {
    name: 'work_with_operator',
    title: 'Work with your operator',
    description: 'How to work so that people can follow, decide and stop.',
    text: work,
  },
  {
    name: 'hand_over',
    title: 'Hand over',
    description: 'End your work so that someone else can continue it.',
    text: 'Call create_checkpoint with a label, report what is done and what is left with remote_log, then call wait_for_instruction.',
  },
]

export const listPrompts = (): Prompt[] =>
  known.map(({ name, title, description }) => ({ name, ...(title && { title }), ...(description && { description }) }))

export function promptOf(name: string): GetPromptResult {
  const prompt = known.find((one) => one.name === name)
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No such prompt: ${name}.`)
  return { messages: [{ role: 'user', content: { type: 'text', text: prompt.text } }] }
}
