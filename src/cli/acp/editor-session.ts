import {
  methods,
  RequestError,
  type AgentContext,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk/unstable'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Event } from '../../domain/audit/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { ServerConnection } from '../context.ts'
import { shortId } from '../ids.ts'
import { textField } from '../json-fields.ts'
import { isOver } from '../live/session-state.ts'
import { watchSession } from '../live/session-watch.ts'
import { programName } from '../program-name.ts'
import { chosenAnswer, editorRequest } from './ask-editor.ts'
import { createEditorView } from './editor-view.ts'

export type EditorSession = AsyncDisposable & {
  /** Done when the agent has finished this turn, even if others write to the session meanwhile. */
  prompt(text: string): Promise<StopReason>
  cancel(): Promise<void>
}

type EditorSessionDeps = {
  connection: ServerConnection
  editor: AgentContext
  id: Session['id']
  /** Send the conversation so far. */
  replay: boolean
  note(text: string): void
}

/** A session of Signalbox in an editor: what anybody says there is shown, and its asks are put to the editor's user too. */
export async function openEditorSession(deps: EditorSessionDeps): Promise<EditorSession> {
  const { connection, editor, id, note } = deps
  const { client } = connection
  const ownPrompts: string[] = []
  const outcomes = new Map<string, string>()
  let bell = Promise.withResolvers<void>()
  const closed = new AbortController()

  const send = (update: SessionUpdate): Promise<void> =>
    editor.notify(methods.client.session.update, { sessionId: id, update })
  const say = (text: string): Promise<void> =>
    send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } })
  const view = createEditorView({
    send,
    isOwnPrompt(text) {
      const place = ownPrompts.indexOf(text)
      if (place !== -1) ownPrompts.splice(place, 1)
      return place !== -1
    },
  })

  const watching = await watchSession({
    connection,
    id,
    view: { ...view, event: noteTurn },
    last: deps.replay ? Number.POSITIVE_INFINITY : 0,
    known: [],
    onGap: (why, waitMs) => note(`${why} Trying again in ${Math.round(waitMs / 1000)} s.`),
  })

  function noteTurn({ type, data }: Event): void {
    const item = textField(data, 'id')
    if (item === null) return
    if (type === 'queue.delivered') outcomes.set(item, textField(data, 'outcome') ?? 'ended')
    if (type === 'queue.dropped') outcomes.set(item, 'cancelled')
    bell.resolve()
    bell = Promise.withResolvers()
  }

  const asked = new Map<string, AbortController>()
  async function followAsks(): Promise<void> {
    while (!closed.signal.aborted) {
      const open = new Set(watching.now.asks.map((ask) => ask.id as string))
      for (const [askId, control] of asked) if (!open.has(askId)) control.abort()
      for (const ask of watching.now.asks) if (!asked.has(ask.id)) void put(ask)
      await watching.changed()
    }
  }

  /** Puts an ask to the editor. Answered elsewhere first, it is withdrawn there. */
  async function put(ask: Ask): Promise<void> {
    const control = new AbortController()
    asked.set(ask.id, control)
    const question = editorRequest(ask, id)
    const elsewhere = `To answer it elsewhere: ${programName()} answer ${shortId(ask.id)}`
    if (question === null) return say(`\n\n**${ask.title}**\n\n${elsewhere}\n\n`)
    const options = { cancellationSignal: control.signal, stopWaitingOnCancel: true }
    try {
      const response = await editor.request(methods.client.session.requestPermission, question.request, options)
      const answer = chosenAnswer(response, question.answers)
      if (answer === null || control.signal.aborted) return
      await client.answerAsk({ params: { id: ask.id }, body: answer })
    } catch (error) {
      if (control.signal.aborted || closed.signal.aborted) return
      const isLate = error instanceof Error && 'code' in error && error.code === 'already_answered'
      if (!isLate) await say(`\n\n${reasonOf(error)} ${elsewhere}\n\n`)
    }
  }

  const following = followAsks().catch((error: unknown) => {
    if (!closed.signal.aborted) note(reasonOf(error))
  })

  async function outcomeOf(item: string): Promise<string> {
    for (;;) {
      const outcome = outcomes.get(item)
      if (outcome !== undefined) return outcome
      if (isOver(watching.now)) return 'over'
      await Promise.race([bell.promise, watching.changed()])
    }
  }

  return {
    async prompt(text) {
      ownPrompts.push(text)
      const item = await client.promptSession({ params: { id }, body: { text, when: 'next' } })
      const outcome = await outcomeOf(item.id)
      await watching.catchUp()
      if (outcome === 'over' || outcome === 'failed') {
        const { reason, status } = watching.now
        throw RequestError.internalError(undefined, reason ?? `The session is ${status}.`)
      }
      return outcome === 'cancelled' ? 'cancelled' : 'end_turn'
    },
    async cancel() {
      await client.cancelTurn({ params: { id } })
    },
    async [Symbol.asyncDispose]() {
      closed.abort()
      for (const control of asked.values()) control.abort()
      await watching[Symbol.asyncDispose]()
      await following
    },
  }
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
