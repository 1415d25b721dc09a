import { setTimeout as pause } from 'node:timers/promises'
import type { DrawnScreen } from '../../../../domain/terminal/drawn-menu.ts'
import { ok, type Result } from '../../../../lib/result.ts'
import type { Typist } from '../live-terminal.ts'
import type { TypingContext } from '../../protocol.ts'
import type { AnswerInput, TypingDeps } from './answer-input.ts'

/** For a program that redraws all the time: try again between two frames. */
const patienceMs = 1500
const unsureMs = 30
/** A program that has not turned the echo off by then shows what is typed; recordings mask it. */
const hideMs = 400

export type Step = {
  readonly key: string
  readonly bytes: string
  /** The prompt it is meant for. */
  readonly promptId: string | null
  readonly isFirst: boolean
  /** A key that moves in a menu, which may not show it. */
  readonly goesOn?: boolean
}

/** Writes if nothing was printed or typed since the last look. False: it is not, or no longer, the intended prompt. */
export async function writeStep(
  { keeper, childId, typists, look }: TypingDeps,
  { key, bytes, promptId, isFirst, goesOn = false }: Step,
  before: TypingContext,
  wanted: AnswerInput,
): Promise<Result<boolean>> {
  const hiddenBy = Date.now() + hideMs
  for (const end = Date.now() + patienceMs; Date.now() < end;) {
    const seen = await look()
    if (!seen.ok) return seen
    const { detection, to, inputs, waits, mode } = seen.value
    if (detection.promptId !== promptId) return ok(false)
    // If the kernel reported the wait before, do not type without its report now.
    const isBlind = waits === null && before.waits !== null
    if (isBlind || (promptId !== null && !seen.value.isSure)) {
      await pause(unsureMs)
      continue
    }
    if (isFirst && detection.secret && mode !== null && mode.echo && mode.canonical && Date.now() < hiddenBy) {
      // The prompt is there but the echo may not be off yet: a secret would be shown.
      await pause(20)
      continue
    }
    typists.set(key, typistOf(wanted, detection.secret))
    const written = await keeper.writeIf(childId, key, bytes, { to, inputs, waits, ...(goesOn && { goesOn }) })
    if (!written.ok) return written
    if (written.value.written) return ok(true)
    typists.delete(key)
    if (written.value.why === 'typed') return ok(false)
  }
  return ok(false)
}

const typistOf = (wanted: AnswerInput, isSecretPrompt: boolean): Typist => {
  const { actor, byRule } = wanted
  const secret = wanted.secret || isSecretPrompt
  if (actor.kind === 'person') return { source: 'user_typed', userId: actor.userId, secret }
  if (actor.kind === 'agent') return { source: 'ai_suggested', userId: null, secret }
  return { source: byRule ? 'auto_injected' : 'user_typed', userId: null, secret }
}

export async function screenOf({ look }: TypingDeps, before: TypingContext): Promise<string> {
  const now = await look()
  return now.ok ? now.value.screen : before.screen
}

export const drawnOf = (context: TypingContext): DrawnScreen => ({
  rows: rowsOf(context),
  looks: context.looks,
  cursorRow: context.cursorRow,
})

export const rowsOf = ({ screen }: TypingContext): string[] => screen.split('\n')
