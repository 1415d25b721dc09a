import * as z from 'zod'
import { SessionId } from '../session/id.ts'
import type { DataOf } from '../slice/events.ts'
import { InputSource, PromptType } from '../terminal/schema.ts'
import { UserId } from '../user/id.ts'
import { InputEventId, PatternId, PatternRuleId } from './id.ts'
import { patternRuleStatuses } from './status.ts'

export { InputEventId, PatternId, PatternRuleId }

/** Stored in place of a secret. */
export const redacted = '[REDACTED]'

export const longestPrompt = 8192
export const longestInput = 8192

/** Something that was typed at a prompt. */
export const InputEvent = z
  .object({
    id: InputEventId,
    sessionId: SessionId,
    at: z.iso.datetime(),
    promptText: z.string(),
    promptType: PromptType,
    inputText: z.string().meta({ description: `${redacted} if it was secret.` }),
    success: z.boolean().nullable().meta({ description: 'Whether it was accepted; null while that is not known.' }),
    inputSource: InputSource,
    responseTimeMs: z.int(),
    userId: UserId.nullable().meta({ description: 'Whose answer it was.' }),
    patternId: PatternId.nullable().meta({ description: 'The pattern it belongs to; null if nothing is learned.' }),
    secret: z.boolean(),
  })
  .meta({ id: 'InputEvent' })
export type InputEvent = z.infer<typeof InputEvent>

/** Where a question was asked; empty if unknown. */
export const PatternContext = z.object({
  program: z.string(),
  host: z.string(),
  place: z.string().meta({ description: 'The repo, or the root of the workspace.' }),
})
export type PatternContext = z.infer<typeof PatternContext>

export const PatternResponse = z.object({
  response: z.string(),
  count: z.int(),
  successCount: z.int(),
  lastAt: z.iso.datetime(),
})
export type PatternResponse = z.infer<typeof PatternResponse>

/** A question that was asked before, and what a person answered. */
export const Pattern = z
  .object({
    id: PatternId,
    userId: UserId,
    promptText: z.string().meta({ description: 'As it is compared: numbers, hosts, paths and the like are masked.' }),
    promptType: PromptType,
    context: PatternContext,
    responses: z.array(PatternResponse).meta({ description: 'Most common first.' }),
    totalOccurrences: z.int(),
    lastSeen: z.iso.datetime(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Pattern' })
export type Pattern = z.infer<typeof Pattern>

/** The expected answer. */
export const Inference = z
  .object({
    expected: z.string().nullable().meta({ description: 'Null with fewer than three equal answers.' }),
    confidence: z.number(),
    occurrences: z.int(),
    successRate: z.number(),
    alternatives: z.array(
      z.object({ response: z.string(), count: z.int(), successRate: z.number(), confidence: z.number() }),
    ),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Inference' })
export type Inference = z.infer<typeof Inference>

export const PatternRuleStatus = z.enum(patternRuleStatuses)
export type PatternRuleStatus = z.infer<typeof PatternRuleStatus>

/** An answer that Signalbox types automatically after a person confirmed it. */
export const PatternRule = z
  .object({
    id: PatternRuleId,
    patternId: PatternId,
    userId: UserId,
    promptText: z.string(),
    promptType: PromptType,
    context: PatternContext,
    response: z.string(),
    status: PatternRuleStatus,
    evidence: z.int().meta({ description: 'How many times in a row this was answered and accepted.' }),
    why: z.string().meta({ description: 'The evidence as text.' }),
    createdAt: z.iso.datetime(),
    decidedBy: z.string().nullable(),
    decidedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'PatternRule' })
export type PatternRule = z.infer<typeof PatternRule>

/** One pattern in the layout it is exported in and imported from. */
export const ExchangedPattern = z.object({
  pattern_id: z.string(),
  prompt_text: z.string(),
  responses: z.record(z.string(), z.object({ count: z.int(), success_count: z.int() })),
  total_occurrences: z.int(),
  last_seen: z.iso.datetime(),
  created_at: z.iso.datetime(),
  context: z.object({
    program: z.string(),
    host: z.string(),
    place: z.string(),
    prompt_type: PromptType,
    /** How much each answer counts, and as of when; without it, its count as of `last_seen`. */
    weights: z.record(z.string(), z.object({ weight: z.number(), at: z.iso.datetime() })),
  }),
})
export type ExchangedPattern = z.infer<typeof ExchangedPattern>

export const PatternExport = z
  .object({ schema_version: z.literal('1.0'), data: z.object({ patterns: z.array(ExchangedPattern) }) })
  .meta({ id: 'PatternExport' })
export type PatternExport = z.infer<typeof PatternExport>

/** What was typed in a session, in the layout it is exported in. */
export const InputHistory = z
  .object({
    session_id: SessionId,
    events: z.array(
      z.object({
        event_id: InputEventId,
        session_id: SessionId,
        timestamp: z.iso.datetime(),
        prompt_text: z.string(),
        prompt_type: PromptType,
        input_text: z.string(),
        success: z.boolean().nullable(),
        input_source: InputSource,
        response_time_ms: z.int(),
      }),
    ),
  })
  .meta({ id: 'InputHistory' })
export type InputHistory = z.infer<typeof InputHistory>

const place = z.string().max(1024).default('')

export const PatternCommand = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('input.track'),
    id: InputEventId,
    sessionId: SessionId,
    promptText: z.string().max(longestPrompt),
    promptType: PromptType,
    secret: z.boolean(),
    dangerous: z.boolean(),
    inputText: z.string().max(longestInput),
    source: InputSource,
    responseTimeMs: z.int().min(0).default(0),
    success: z.boolean().nullable().default(null),
    at: z.iso.datetime().nullable().default(null),
    /** Whose answer it is; null: unknown, and nothing is learned. Callers can only report their own. */
    userId: UserId.nullable(),
    program: place,
    host: place,
  }),
  /** Its outcome, if it is known later. */
  z.object({ type: z.literal('input.judge'), id: InputEventId, success: z.boolean() }),
  /** `document` is the JSON of a file. Errors are reported by row. */
  z.object({ type: z.literal('pattern.import'), userId: UserId, document: z.unknown() }),
  z.object({ type: z.literal('pattern.forget'), id: PatternId }),
  z.object({ type: z.literal('pattern.confirm'), id: PatternRuleId }),
  z.object({ type: z.literal('pattern.dismiss'), id: PatternRuleId }),
  z.object({ type: z.literal('pattern.revoke'), id: PatternRuleId }),
])
export type PatternCommand = z.infer<typeof PatternCommand>

/** A stored response: its weight at `lastAt`, and its last three outcomes, newest last. */
export type KeptResponse = PatternResponse & { weight: number; recent: string }

/** A stored pattern. The streak counts equal answers in a row that were witnessed and accepted. */
export type KeptPattern = Omit<Pattern, 'responses' | 'totalOccurrences'> & {
  responses: readonly KeptResponse[]
  streak: { response: string; count: number } | null
}

const ruleRef = { id: PatternRuleId, patternId: PatternId, userId: UserId }

/** Events about inputs and patterns. */
export const patternEvents = {
  'input.tracked': () =>
    InputEvent.pick({
      id: true,
      sessionId: true,
      patternId: true,
      inputSource: true,
      secret: true,
      success: true,
      userId: true,
    }),
  'input.judged': () => z.object({ id: InputEventId, sessionId: SessionId, success: z.boolean() }),
  'pattern.imported': () => z.object({ userId: UserId, count: z.int() }),
  'pattern.forgotten': () => z.object({ id: PatternId, userId: UserId, by: z.string() }),
  'pattern.proposed': () => z.object({ ...ruleRef, evidence: z.int() }),
  'pattern.withdrawn': () => z.object(ruleRef),
  'pattern.confirmed': () => z.object({ ...ruleRef, by: z.string() }),
  'pattern.dismissed': () => z.object({ ...ruleRef, by: z.string() }),
  'pattern.revoked': () => z.object({ ...ruleRef, by: z.string() }),
}
type Data = DataOf<typeof patternEvents>

export type PatternChange =
  | { type: 'input.tracked'; data: Data['input.tracked']; body: InputEvent & { witnessed: boolean } }
  | { type: 'input.judged'; data: Data['input.judged'] }
  | {
      type: 'pattern.learned'
      data: { id: PatternId; userId: UserId; occurrences: number }
      /** The pattern without its responses, those of them that changed, and those that made room. */
      body: {
        pattern: Omit<KeptPattern, 'responses'>
        changed: readonly KeptResponse[]
        dropped: readonly string[]
      }
    }
  | { type: 'pattern.imported'; data: Data['pattern.imported']; body: { patterns: readonly KeptPattern[] } }
  | { type: 'pattern.forgotten'; data: Data['pattern.forgotten'] }
  | { type: 'pattern.proposed'; data: Data['pattern.proposed']; body: { response: string } }
  | { type: 'pattern.withdrawn'; data: Data['pattern.withdrawn'] }
  | { type: 'pattern.confirmed'; data: Data['pattern.confirmed'] }
  | { type: 'pattern.dismissed'; data: Data['pattern.dismissed'] }
  | { type: 'pattern.revoked'; data: Data['pattern.revoked'] }
