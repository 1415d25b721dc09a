import { programName } from '../program-name.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import { answerLines } from '../answer-lines.ts'
import { cleanLine, exactLine } from '../clean-text.ts'
import { exit, type ExitCode } from '../failure.ts'
import { shortId } from '../ids.ts'
import type { SessionStatus } from '../../domain/session/status.ts'

/** Why watching ended. */
export type RunOutcome =
  | { kind: 'ended' }
  | { kind: 'cancelled'; byUs: boolean }
  | { kind: 'failed'; why: string }
  | { kind: 'waiting'; ask: Ask }
  | { kind: 'over'; status: SessionStatus; reason: string | null }
  | { kind: 'detached' }

export function exitOf(outcome: RunOutcome): ExitCode {
  switch (outcome.kind) {
    case 'ended':
    case 'detached':
      return exit.ok
    case 'cancelled':
      return outcome.byUs ? exit.interrupted : exit.failed
    case 'failed':
      return exit.failed
    case 'waiting':
      return exit.waiting
    case 'over':
      if (outcome.status === 'paused') return exit.waiting
      return outcome.status === 'completed' ? exit.ok : exit.failed
    default:
      return outcome satisfies never
  }
}

/** The last lines: the outcome, and what to do next. */
export function outcomeText(outcome: RunOutcome, session: Pick<Session, 'id'>): string | null {
  const id = shortId(session.id)
  switch (outcome.kind) {
    case 'ended':
      return null
    case 'detached':
      return [
        `Left session ${id}; it keeps running.`,
        `  Reattach: ${programName()} attach ${id}`,
        `  End it:     ${programName()} stop ${id}`,
      ].join('\n')
    case 'cancelled':
      return `The turn was cancelled. Continue with: ${programName()} prompt ${id} TEXT`
    case 'failed':
      return `The turn failed: ${cleanLine(outcome.why)}\n  See why with: ${programName()} sessions why ${id}`
    case 'waiting':
      return waitingText(outcome.ask, id)
    case 'over':
      return endedText(outcome.status, outcome.reason, id)
    default:
      return outcome satisfies never
  }
}

function waitingText(ask: Ask, id: string): string {
  return [
    `Session ${id} is waiting for an answer, and there is no terminal to ask on: ${exactLine(ask.title)}`,
    ...answerLines(ask).map((line) => `  ${line}`),
    `  ${programName()} asks show ${ask.id}  # all of it`,
    `  ${programName()} attach ${id}  # then continue`,
    `Waiting for ask ${ask.id}.`,
  ].join('\n')
}

/** The turn is over, but the session stays and keeps its slot. */
export function idleText(whole: Session['id']): string {
  const id = shortId(whole)
  return [
    `Session ${id} stays open, idle.`,
    `  Reply: ${programName()} prompt ${id} --wait TEXT`,
    `  End it:   ${programName()} stop ${id}`,
  ].join('\n')
}

/** The command to make a session accept prompts again. */
export function adviceOn(status: SessionStatus, id: string): string {
  if (status === 'paused') return `Resume it with: ${programName()} sessions resume ${id}`
  if (status === 'interrupted') return `Recover it with: ${programName()} sessions recover ${id}`
  return `Continue with: ${programName()} continue ${id}`
}

function endedText(status: SessionStatus, reason: string | null, id: string): string {
  const why = reason === null ? '' : `: ${cleanLine(reason.split('\n', 1)[0] ?? '').replace(/(?<![.!\s])[.!\s]+$/, '')}`
  const what = status === 'error' ? 'ended with an error' : `is ${status}`
  const log = status === 'error' ? [`  See what it said last with: ${programName()} logs --stderr ${id}`] : []
  return [`Session ${id} ${what}${why}.`, ...log, `  ${adviceOn(status, id)}`].join('\n')
}
