import { called } from '../called.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import { answerLines } from '../answer-lines.ts'
import { cleanLine, exactLine } from '../clean-text.ts'
import { exit, type ExitCode } from '../exit.ts'
import { shortId } from '../ids.ts'
import type { SessionStatus } from '../../domain/session/status.ts'

/** Why nobody watches any longer. */
export type Outcome =
  | { kind: 'ended' }
  | { kind: 'cancelled'; byUs: boolean }
  | { kind: 'failed'; why: string }
  | { kind: 'waiting'; ask: Ask }
  | { kind: 'over'; status: SessionStatus; reason: string | null }
  | { kind: 'detached' }

export function exitOf(outcome: Outcome): ExitCode {
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

/** The last lines: what became of it, and what to do next. */
export function outcomeWords(outcome: Outcome, session: Pick<Session, 'id'>): string | null {
  const id = shortId(session.id)
  switch (outcome.kind) {
    case 'ended':
      return null
    case 'detached':
      return [
        `Left session ${id}; it keeps running.`,
        `  Reattach: ${called()} attach ${id}`,
        `  End it:     ${called()} stop ${id}`,
      ].join('\n')
    case 'cancelled':
      return `The turn was cancelled. Continue with: ${called()} prompt ${id} TEXT`
    case 'failed':
      return `The turn failed: ${cleanLine(outcome.why)}\n  See why with: ${called()} sessions why ${id}`
    case 'waiting':
      return waitingWords(outcome.ask, id)
    case 'over':
      return overWords(outcome.status, outcome.reason, id)
    default:
      return outcome satisfies never
  }
}

function waitingWords(ask: Ask, id: string): string {
  return [
    `Session ${id} is waiting for an answer, and there is no terminal to ask on: ${exactLine(ask.title)}`,
    ...answerLines(ask).map((line) => `  ${line}`),
    `  ${called()} asks show ${ask.id}  # all of it`,
    `  ${called()} attach ${id}  # then continue`,
    `Waiting for ask ${ask.id}.`,
  ].join('\n')
}

/** The turn is over, the session is not: it waits, and keeps its slot. */
export function staysWords(whole: Session['id']): string {
  const id = shortId(whole)
  return [
    `Session ${id} stays open, idle.`,
    `  Reply: ${called()} prompt ${id} --wait TEXT`,
    `  End it:   ${called()} stop ${id}`,
  ].join('\n')
}

/** What to do with a session that takes no prompts as it is; a line to copy. */
export function adviceOn(status: SessionStatus, id: string): string {
  if (status === 'paused') return `Resume it with: ${called()} sessions resume ${id}`
  if (status === 'interrupted') return `Recover it with: ${called()} sessions recover ${id}`
  return `Continue with: ${called()} continue ${id}`
}

function overWords(status: SessionStatus, reason: string | null, id: string): string {
  const why = reason === null ? '' : `: ${cleanLine(reason.split('\n', 1)[0] ?? '').replace(/(?<![.!\s])[.!\s]+$/, '')}`
  const what = status === 'error' ? 'ended with an error' : `is ${status}`
  const log = status === 'error' ? [`  See what it said last with: ${called()} logs --stderr ${id}`] : []
  return [`Session ${id} ${what}${why}.`, ...log, `  ${adviceOn(status, id)}`].join('\n')
}
