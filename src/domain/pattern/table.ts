import type { SessionId } from '../session/id.ts'
import type { InputSource, PromptType } from '../terminal/schema.ts'
import type { UserId } from '../user/id.ts'
import type { InputEventId, PatternId, PatternRuleId } from './id.ts'
import type { PatternRuleStatus } from './schema.ts'

export type PatternTables = {
  input_events: {
    id: InputEventId
    session_id: SessionId
    at: string
    prompt_text: string
    prompt_type: PromptType
    input_text: string
    success: 0 | 1 | null
    input_source: InputSource
    response_time_ms: number
    user_id: UserId | null
    pattern_id: PatternId | null
    secret: 0 | 1
    /** Signalbox saw it, or the person reported it: a report of an agent alone proposes nothing. */
    witnessed: 0 | 1
  }
  patterns: {
    id: PatternId
    user_id: UserId
    program: string
    host: string
    place: string
    prompt_text: string
    /** 32 digits: prompts may be longer than an index takes. */
    prompt_hash: string
    prompt_type: PromptType
    context: string
    streak_response: string | null
    streak: number
    created_at: string
    last_seen: string
  }
  pattern_responses: {
    pattern_id: PatternId
    response: string
    count: number
    success_count: number
    /** As of `last_at`; it halves every 30 days. */
    weight: number
    last_at: string
    /** How its last three went, newest last: `s` taken, `f` failed. */
    recent: string
  }
  pattern_rules: {
    id: PatternRuleId
    pattern_id: PatternId
    response: string
    status: PatternRuleStatus
    evidence: number
    created_at: string
    decided_by: string | null
    decided_at: string | null
  }
}
