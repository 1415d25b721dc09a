import * as z from 'zod'
import { Json } from '../../lib/json.ts'
import { MessageContent, MessageId, MessageRole } from '../message/schema.ts'
import { SessionId } from '../session/id.ts'

/** A message in its current state; `final` if nothing more will be added. */
export const MessageWrite = z.object({
  id: MessageId,
  role: MessageRole,
  content: MessageContent,
  final: z.boolean(),
  /** When it began, so that a late write keeps its position. */
  at: z.iso.datetime(),
})
export type MessageWrite = z.infer<typeof MessageWrite>

/**
 * Output of a hosted agent and how far it was read, in one transaction: everything up to `offset` is stored, so a
 * restarted server continues reading from there.
 */
export const AgentCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent.host'), id: SessionId, nodeId: z.string(), childId: z.string().optional() }),
  z.object({
    type: z.literal('agent.record'),
    id: SessionId,
    offset: z.int().min(0),
    writes: z.array(MessageWrite),
    tool: z.string().max(200).nullable().default(null),
    /** Whether the agent sent anything since the last record; default: true. */
    heard: z.boolean().optional(),
    /** What it reported about itself; the driver's own notes; its calls that wait for us. Omitted: unchanged. */
    about: Json.optional(),
    state: Json.optional(),
    held: Json.optional(),
    stderr: z.string().optional(),
    /** The process that ended with this record. */
    ended: z.object({ childId: z.string(), code: z.int().nullable(), signal: z.string().nullable() }).optional(),
  }),
])
export type AgentCommand = z.infer<typeof AgentCommand>
export type AgentRecord = Extract<AgentCommand, { type: 'agent.record' }>

/** Written to the row, not to the log. */
export type AgentChange =
  | {
      type: 'agent.hosted'
      data: { id: SessionId; nodeId: string; childId: string | null }
      body?: { about: Json; state: Json }
    }
  | { type: 'agent.crashed'; data: { id: SessionId; crashes: number } }
  | {
      type: 'agent.recorded'
      data: { id: SessionId; offset: number }
      body: Omit<AgentRecord, 'type' | 'id' | 'writes' | 'heard'>
    }
