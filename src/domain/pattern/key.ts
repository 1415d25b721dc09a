import { sha256 } from '../../lib/secret.ts'
import type { UserId } from '../user/id.ts'
import type { PatternId } from './id.ts'
import { normaliseHost, normaliseProgram, normalisePrompt } from './normalise.ts'
import type { PatternContext } from './schema.ts'

/** What makes two questions the same: who is asked, by what program, where, and in which words. */
export type PatternKey = { id: PatternId; userId: UserId; context: PatternContext; promptText: string }

export function keyOf(userId: UserId, promptText: string, where: PatternContext): PatternKey {
  const context = contextOf(where)
  const prompt = normalisePrompt(promptText)
  const parts = [userId, context.program, context.host, context.place, prompt]
  return { id: sha256(JSON.stringify(parts)).slice(0, 32) as PatternId, userId, context, promptText: prompt }
}

export const contextOf = ({ program, host, place }: PatternContext): PatternContext => ({
  program: normaliseProgram(program),
  host: normaliseHost(host),
  place: place.replace(/(?<=.)\/+$/, ''),
})

/** For looking a prompt up; prompts may be longer than an index takes. */
export const promptHash = (normalised: string): string => sha256(normalised).slice(0, 32)
