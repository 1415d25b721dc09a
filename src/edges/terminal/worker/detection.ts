import type { Detection } from '../../../app/terminals.ts'
import type { WatchState } from './watch/types.ts'

/** The watch state as other parts see it. */
export function detectionOf({ state, prompt, verdict, at }: WatchState, filePosition: number): Detection {
  return {
    waiting: state === 'waiting',
    state,
    promptId: prompt?.id ?? null,
    promptText: prompt?.text ?? '',
    promptType: prompt?.type ?? 'unknown',
    confidence: verdict.confidence,
    matchedPattern: prompt?.matchedPattern ?? '',
    filePosition: prompt?.offset ?? filePosition,
    timestamp: prompt?.since ?? at,
    isDangerous: prompt?.dangerous ?? false,
    dangerReason: prompt?.dangerReason ?? null,
    decidedBy: verdict.decidedBy,
    suggestedInputs: prompt?.suggestedInputs ?? [],
    choices: prompt?.choices ?? [],
    default: prompt?.default ?? null,
    secret: prompt?.secret ?? false,
    evidence: verdict.evidence,
  }
}
