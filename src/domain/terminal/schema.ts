import * as z from 'zod'
import { NewSession, SessionId } from '../session/schema.ts'
import type { SessionChange } from '../session/schema.ts'
import type { DataOf } from '../slice/events.ts'
import { UserId } from '../user/id.ts'

export const TerminalType = z.enum(['ssh', 'script', 'file'])
export type TerminalType = z.infer<typeof TerminalType>

export const promptTypes = ['password', 'yes_no', 'choice', 'path', 'text', 'command', 'unknown'] as const
export const PromptType = z.enum(promptTypes)
export type PromptType = z.infer<typeof PromptType>

export const InputSource = z.enum(['user_typed', 'ai_suggested', 'auto_injected'])
export type InputSource = z.infer<typeof InputSource>

export const TerminalState = z.enum(['active', 'stopped'])
export type TerminalState = z.infer<typeof TerminalState>

const name = z.string().max(200)
const path = z.string().max(4096)
const size = z.int().min(1).max(1000)

/** Fixed when a terminal starts. */
export const NewTerminal = z.object({
  sessionType: TerminalType,
  name: name.nullable().default(null),
  /** A followed log. */
  logFile: path.nullable().default(null),
  /** The log was written by script(1). */
  typescript: z.boolean().default(false),
  command: z.array(z.string().max(100_000)).max(10_000).nullable().default(null),
  cwd: path.nullable().default(null),
  host: name.nullable().default(null),
  user: name.nullable().default(null),
  parentSessionId: SessionId.nullable().default(null),
  /** The agent's session that started it and may reach it. */
  startedBy: SessionId.nullable().default(null),
  /** The keeper's id for its program. */
  childId: name.nullable().default(null),
  cols: size.default(80),
  rows: size.default(24),
  filePosition: z.int().min(0).default(0),
})
export type NewTerminal = z.infer<typeof NewTerminal>

export const Terminal = z
  .object({
    sessionId: SessionId,
    ownerUserId: UserId,
    sessionType: TerminalType,
    state: TerminalState,
    status: z.string(),
    name: name.nullable(),
    logFile: path.meta({ description: 'The followed log; else the directory of its recording.' }),
    filePosition: z.int().meta({ description: "How much of the log or of the program's output was read, in bytes." }),
    epoch: z.int().meta({ description: 'How often the log was restarted.' }),
    startTime: z.iso.datetime(),
    metadata: z.record(z.string(), z.string()),
    command: z.array(z.string()).nullable(),
    cwd: path.nullable(),
    host: name.nullable(),
    user: name.nullable(),
    parentSessionId: SessionId.nullable(),
    cols: size,
    rows: size,
    exitCode: z.int().nullable(),
    exitSignal: z.string().nullable(),
  })
  .meta({ id: 'Terminal' })
export type Terminal = z.infer<typeof Terminal>

export const TerminalCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('terminal.open'),
    session: NewSession,
    terminal: NewTerminal,
    node: name,
    /** The location of a followed log, links resolved: `terminal.watch_roots`, the agent's workspace, or elsewhere. */
    followed: z.enum(['watched', 'workspace', 'elsewhere']).optional(),
  }),
  /** How far it was read; not logged. */
  z.object({
    type: z.literal('terminal.advance'),
    id: SessionId,
    filePosition: z.int().min(0),
    epoch: z.int().min(0),
    cols: size.optional(),
    rows: size.optional(),
  }),
  z.object({
    type: z.literal('terminal.close'),
    id: SessionId,
    exitCode: z.int().nullable(),
    exitSignal: name.nullable(),
    /** A person ended it: its exit code is not a failure. */
    hungUp: z.boolean().optional(),
  }),
  z.object({ type: z.literal('terminal.grant'), id: SessionId, sessionId: SessionId }),
  z.object({ type: z.literal('terminal.revoke'), id: SessionId, sessionId: SessionId }),
])
export type TerminalCommand = z.infer<typeof TerminalCommand>

/** Events about terminals. */
export const terminalEvents = {
  'terminal.opened': () =>
    z.object({ sessionId: SessionId, sessionType: TerminalType, startedBy: SessionId.nullable() }),
  'terminal.closed': () =>
    z.object({
      sessionId: SessionId,
      exitCode: z.int().nullable(),
      exitSignal: z.string().nullable(),
      hungUp: z.literal(true).optional(),
    }),
  'terminal.granted': () => z.object({ sessionId: SessionId, to: SessionId, by: UserId.nullable() }),
  'terminal.revoked': () => z.object({ sessionId: SessionId, to: SessionId }),
}
type Data = DataOf<typeof terminalEvents>

export type TerminalOwnChange =
  | { type: 'terminal.opened'; data: Data['terminal.opened']; body: { terminal: NewTerminal; node: string } }
  | {
      type: 'terminal.advanced'
      data: { sessionId: SessionId; filePosition: number; epoch: number; cols?: number; rows?: number }
    }
  | { type: 'terminal.closed'; data: Data['terminal.closed'] }
  | { type: 'terminal.granted'; data: Data['terminal.granted'] }
  | { type: 'terminal.revoked'; data: Data['terminal.revoked'] }

export type TerminalChange = TerminalOwnChange | SessionChange
