import type { Answers } from '../../../app/answers.ts'
import type { App } from '../../../app/app.ts'
import { isSettled } from '../../../domain/ask/answer.ts'
import type { Ask, AskId, NewAsk } from '../../../domain/ask/schema.ts'
import type { AskKind } from '../../../domain/ask/subject.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { Clock } from '../../../lib/clock.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { newId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { systemViewer, type Link } from '../link.ts'
import type { Tool } from '../tools/tool.ts'
import type { CallHold } from './hold.ts'

/** An ask that a tool opens; the other fields are the same for all tools. */
export type CallAsk = Pick<NewAsk, 'title' | 'subject'> &
  Partial<Pick<NewAsk, 'description' | 'riskLevel' | 'origin' | 'timeoutSeconds' | 'answerers'>> & {
    unasked?: boolean
    /** Called with the ask's id before the ask is opened. */
    known?: (id: AskId) => void
  }

/** An ask that has ended, or is still open when the caller must get a reply. */
export type AskResult = { readonly ask: Ask; readonly pending: boolean }

/** One call of a tool: its caller, and what the tool may use. */
export type ToolCall = {
  readonly app: App
  readonly clock: Clock
  readonly log: Logger
  readonly link: Link
  readonly tool: string
  /** The session at the start of the call. */
  readonly session: Session
  /** Identifies the call; a repeated call has the same key. */
  readonly key: string | null
  /** Opens an ask, or finds the one an earlier attempt of this call opened, and holds the call until the ask ends. */
  ask(asked: CallAsk): Promise<Result<AskResult>>
  /** Holds the call for an earlier ask of this session or its lineage. */
  reattach(requestId: string, kinds: readonly AskKind[]): Promise<Result<AskResult>>
  readonly signOfLife: SignOfLife
  /** Runs `then` once the reply was sent. */
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
    const now = await app.read.ask(systemViewer, id)
    return now.ok ? ok({ ask: now.value, pending: !isSettled(now.value) }) : now
  }

  return {
    ...deps,
    ...about,
    async ask({ origin = 'mcp', timeoutSeconds = null, unasked = false, known, ...asked }) {
      const id = key === null ? newId<AskId>() : derivedId<AskId>('mcp call', link.sessionId, key)
      const ask: NewAsk = {
        riskLevel: 'low',
        description: null,
        answerers: null,
        ...asked,
        id,
        sessionId: link.sessionId,
        origin,
        needed: 1,
        timeoutSeconds,
      }
      known?.(id)
      // The request must be on disk before the ask, or it could not be resumed after a crash.
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
    message: `Request ${id} not found in this session.`,
    hint: 'Use the request_id that the same tool returned. recover_state lists pending requests.',
  })

/** Records a call as a sign of life (R5), once: with the tool's own command, or separately. */
export type SignOfLife = {
  /** The tool's own command has recorded it. */
  recorded(): void
  record(): Promise<void>
}

export function createSignOfLife(app: App, link: Link, tool: Pick<Tool, 'name'>): SignOfLife {
  let isRecorded = false
  return {
    recorded() {
      isRecorded = true
    },
    async record() {
      if (isRecorded) return
      isRecorded = true
      const beat = tool.name === 'heartbeat'
      const touch = { type: 'session.touch' as const, id: link.sessionId, tool: tool.name, ...(beat && { beat }) }
      await app.dispatch(touch, link.actor)
    },
  }
}
