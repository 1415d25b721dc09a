import * as z from 'zod'
import { Json } from '../../lib/json.ts'
import { MessageContent, MessageId, MessageRole } from '../message/schema.ts'
import { SessionId } from '../session/id.ts'

/** A message as it stands now; `final` when nothing more will be added to it. */
export const MessageWrite = z.object({
  id: MessageId,
  role: MessageRole,
  content: MessageContent,
  final: z.boolean(),
  /** When it began, so that it keeps its place however late it is written. */
  at: z.iso.datetime(),
})
export type MessageWrite = z.infer<typeof MessageWrite>

/**
 * What an agent we host has said and where we stand with it, in one transaction: everything up to `offset` of its output
 * is stored, so that a server that comes back reads on from there.
 */
export const AgentCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent.host'), id: SessionId, nodeId: z.string() }),
  z.object({
    type: z.literal('agent.record'),
    id: SessionId,
    offset: z.int().min(0),
    writes: z.array(MessageWrite),
    tool: z.string().max(200).nullable().default(null),
    /** Whether anything was heard of the agent since the last record; left out: it was. */
    heard: z.boolean().optional(),
    /** What it told of itself; the driver's own notes; its calls that wait for us. Left out: unchanged. */
    about: Json.optional(),
    state: Json.optional(),
    held: Json.optional(),
    stderr: z.string().optional(),
  }),
])
export type AgentCommand = z.infer<typeof AgentCommand>
export type AgentRecord = Extract<AgentCommand, { type: 'agent.record' }>

/** Written to its row, kept out of the log. */
export type AgentChange =
  | { type: 'agent.hosted'; data: { id: SessionId; nodeId: string } }
  | {
      type: 'agent.recorded'
      data: { id: SessionId; offset: number }
      body: Omit<AgentRecord, 'type' | 'id' | 'writes' | 'heard'>
    }
