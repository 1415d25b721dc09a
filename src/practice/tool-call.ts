import { randomUUID } from 'node:crypto'
import {
  type ToolCall,
  type ToolCallContent,
  type ToolCallUpdate,
  RequestError,
} from '@agentclientprotocol/sdk/unstable'
import type { PracticeTurn } from './turn.ts'

type ToolChange = Omit<ToolCallUpdate, 'toolCallId'>

/** An announced tool call, also used in permission requests. */
export type OpenTool = { readonly call: ToolCall; update(change: ToolChange): Promise<void> }

export async function openTool(turn: PracticeTurn, call: Omit<ToolCall, 'toolCallId'>): Promise<OpenTool> {
  const whole: ToolCall = { toolCallId: randomUUID(), status: 'pending', ...call }
  await turn.send({ sessionUpdate: 'tool_call', ...whole })
  return {
    call: whole,
    update: (change) => turn.send({ sessionUpdate: 'tool_call_update', toolCallId: whole.toolCallId, ...change }),
  }
}

export const textContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } })

/** The error of a client or the file system, as text. */
export function errorText(error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  return `${error.message} (${error.code})${error.data === undefined ? '' : ` ${JSON.stringify(error.data)}`}`
}
