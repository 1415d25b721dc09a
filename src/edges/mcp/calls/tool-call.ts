import type { Answers } from '../../../app/answers.ts'
import type { App } from '../../../app/app.ts'
import type { Ask, AskId, NewAsk } from '../../../domain/ask/schema.ts'
import type { AskKind } from '../../../domain/ask/subject.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { newId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { seeing, type Link } from '../link.ts'
import type { CallHold } from './hold.ts'
import type { SignOfLife } from './life.ts'

/** What an ask of a call is made of; the rest is the same for all. */
export type CallAsk = Pick<NewAsk, 'title' | 'subject'> &
  Partial<Pick<NewAsk, 'description' | 'riskLevel' | 'origin' | 'timeoutSeconds'>> & {
    unasked?: boolean
    /** Told before it is asked: which ask it will be. */
    known?: (id: AskId) => void
  }

/** An ask that came to its end, or one that is still open when the caller has to be told something. */
export type AskResult = { readonly ask: Ask; readonly pending: boolean }

/** One call of a tool: whose it is, and what it may use. */
export type ToolCall = {
  readonly app: App
  readonly clock: Clock
  readonly log: Logger
  readonly link: Link
  readonly tool: string
  /** The session as it was when the call began. */
  readonly session: Session
  /** Tells this call apart from all others; the same again where it is repeated. */
  readonly key: string | null
  /** Opens an ask, or finds the one this very call opened before, and holds the call until its end. */
  ask(asked: CallAsk): Promise<Result<AskResult>>
  /** Holds the call for an ask that was opened before, by this session or its lineage. */
  reattach(requestId: string, kinds: readonly AskKind[]): Promise<Result<AskResult>>
  readonly signOfLife: SignOfLife
  /** Done once the caller has been sent its answer. */
  onceSent(then: () => Promise<void>): void
}

export type ToolCallDeps = {
  app: App
  clock: Clock
  log: Logger
  answers: Answers
}

export function createToolCall(
  deps: ToolCallDeps,
  about: Pick<ToolCall, 'link' | 'tool' | 'session' | 'key' | 'signOfLife' | 'onceSent'>,
  holding: CallHold,
): ToolCall {
  const { app, answers } = deps
  const { link, tool, key } = about

  const hold = async (id: AskId): Promise<Result<AskResult>> => {
    const ask = await holding.hold(`waiting for an answer to ${id}`, (signal) => answers.wait(id, signal))
    if (ask !== null) return ok({ ask, pending: false })
    const now = await app.read.ask(seeing, id)
    return now.ok ? ok({ ask: now.value, pending: now.value.status === 'open' }) : now
  }

  return {
    ...deps,
    ...about,
    async ask({ origin = 'mcp', timeoutSeconds = null, unasked = false, known, ...asked }) {
      const id = key === null ? newId<AskId>() : derivedId<AskId>('mcp call', link.sessionId, key)
      const ask: NewAsk = {
        riskLevel: 'low',
        description: null,
        ...asked,
        id,
        sessionId: link.sessionId,
        origin,
        needed: 1,
        answerers: null,
        timeoutSeconds,
      }
      known?.(id)
      // Asked before its question is known, it could not be gone on with after a crash.
      await link.kept?.()
      const opened = await answers.expect(id, () => app.dispatch({ type: 'ask.open', ask, tool, unasked }, link.actor))
      if (opened.ok) about.signOfLife.recorded()
      return opened.ok || opened.fault.code === 'ask_exists' ? hold(id) : opened
    },
    async reattach(requestId, kinds) {
      const found = await app.read.askOfLineage(requestId, link.sessionId)
      await about.signOfLife.record()
      return found !== null && kinds.includes(found.kind) ? hold(found.id) : requestNotFound(requestId)
    },
  }
}

export const requestNotFound = (id: string) =>
  fail({
    kind: 'not_found',
    code: 'request_not_found',
    message: `This session has no request ${id} of that kind.`,
    hint: 'Use the request_id that the same tool gave you; recover_state lists what is pending.',
  })
