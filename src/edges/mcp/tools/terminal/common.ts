import * as z from 'zod'
import type { Detection } from '../../../../app/terminals.ts'
import type { Ask } from '../../../../domain/ask/schema.ts'
import { SessionId } from '../../../../domain/session/id.ts'
import { PromptType, TerminalState, TerminalType, type Terminal } from '../../../../domain/terminal/schema.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../../../lib/result.ts'
import { endedHow, reasonOf } from '../common.ts'

export const sessionId = z.string().max(100).describe('The session_id that start_session_monitor gave.')

/** An invalid id is reported as not found. */
export function terminalId(text: string): Result<SessionId> {
  const read = SessionId.safeParse(text)
  return read.success ? ok(read.data) : notFound('session', text)
}

/** An id chosen by the caller: a random UUID, like ours. */
export function chosenId(text: string, field: string): Result<SessionId> {
  const read = z.uuidv4().toLowerCase().safeParse(text)
  return read.success
    ? ok(SessionId.parse(read.data))
    : fail({
        kind: 'invalid',
        code: 'invalid_session_id',
        message: `Invalid ${field} ${JSON.stringify(text.slice(0, 60))}: not a UUID of version 4.`,
        hint: `Leave ${field} out, or give one such as crypto.randomUUID() makes.`,
      })
}

export const monitor = {
  session_id: z.string(),
  session_type: TerminalType,
  log_file: z.string(),
  file_position: z.int(),
  start_time: z.string(),
  state: TerminalState,
  metadata: z.record(z.string(), z.string()),
}

export const shownTerminal = (terminal: Terminal) => ({
  session_id: terminal.sessionId,
  session_type: terminal.sessionType,
  log_file: terminal.logFile,
  file_position: terminal.filePosition,
  start_time: terminal.startTime,
  state: terminal.state,
  metadata: terminal.metadata,
})

const reasons = z.array(z.object({ signal: z.string(), says: z.string(), detail: z.string() }))
export const explanation = reasons.optional()

export const DetectionShape = z.object({
  prompt_id: z.string().nullable(),
  prompt_text: z.string(),
  prompt_type: PromptType,
  confidence: z.number(),
  matched_pattern: z.string(),
  file_position: z.int(),
  timestamp: z.string(),
  is_dangerous: z.boolean(),
  danger_reason: z.string().optional(),
  decided_by: z.string(),
  suggested_inputs: z.array(z.string()),
  explanation,
})

export const explained = ({ evidence }: Detection) =>
  evidence.map(({ signal, says, detail }) => ({ signal, says, detail }))

export const shownDetection = (detection: Detection, explain = false) => ({
  prompt_id: detection.promptId,
  prompt_text: detection.promptText,
  prompt_type: detection.promptType,
  confidence: detection.confidence,
  matched_pattern: detection.matchedPattern,
  file_position: detection.filePosition,
  timestamp: detection.timestamp,
  is_dangerous: detection.isDangerous,
  ...(detection.dangerReason !== null && { danger_reason: detection.dangerReason }),
  decided_by: detection.decidedBy,
  suggested_inputs: [...detection.suggestedInputs],
  ...(explain && { explanation: explained(detection) }),
})

export const isWaiting = (detection: Detection | null): detection is Detection =>
  detection !== null && detection.waiting

export const time = z.iso.datetime({ offset: true })
export const asTime = (text: string): string => new Date(text).toISOString()

/** The ask was rejected, or nobody answered. */
export function notAllowed(ask: Ask, nothing: string): Failed {
  const why = reasonOf(ask.answer) ?? ask.reason
  const how = endedHow(ask) === 'timeout' ? 'Nobody answered in time' : 'Your operator did not allow it'
  return fail({
    kind: 'forbidden',
    code: 'not_permitted',
    message: `${how}${why === null ? '' : `: ${why}`}. ${nothing}`,
    hint: 'Do not try another way; ask your operator what to do instead.',
    details: { askId: ask.id },
  })
}
