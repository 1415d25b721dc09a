import { basename } from 'node:path'
import type { InputEventId } from '../domain/pattern/id.ts'
import type { PatternQuestion } from '../domain/pattern/query.ts'
import type { Inference, InputEvent, PatternCommand } from '../domain/pattern/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import { understand } from '../domain/terminal/detect/understand/understand.ts'
import type { InputSource, Terminal } from '../domain/terminal/schema.ts'
import { personOf, type Actor } from '../domain/user/actor.ts'
import { derivedId } from '../lib/derived-id.ts'
import { newRandomId } from '../lib/id.ts'
import { fail, notFound, ok, type Result } from '../lib/result.ts'
import type { Detection, Terminals } from './terminals.ts'

export type TrackedInput = {
  readonly sessionId: SessionId
  readonly promptText: string
  readonly inputText: string
  readonly source: InputSource
  /** Null: inferred from what follows. */
  readonly success: boolean | null
  readonly responseTimeMs: number
  readonly at: string | null
  /** Inputs with the same key are one event. */
  readonly key: string | null
  readonly actor: Actor
}

/** Records answers to prompts, and predicts the answer to a prompt. */
export type Inputs = {
  track(input: TrackedInput): Promise<Result<InputEvent>>
  infer(input: {
    promptText: string
    sessionId: SessionId | null
    program: string | null
    host: string | null
    actor: Actor
  }): Promise<Result<Inference>>
}

export function createInputs(deps: {
  dispatch(command: PatternCommand, actor: Actor): Promise<Result<unknown>>
  read: {
    inferInput(question: PatternQuestion): Promise<Inference>
    inputEvent(id: InputEventId): Promise<InputEvent | undefined>
  }
  terminals: Pick<Terminals, 'get'>
}): Inputs {
  const { dispatch, read, terminals } = deps
  return {
    async track({ key, actor, ...input }) {
      const found = await terminals.get(input.sessionId, actor)
      if (!found.ok) return found
      const { terminal, detection } = found.value
      const id = key === null ? newRandomId<InputEventId>() : idOfKey(key)
      const done = await dispatch(
        {
          type: 'input.track',
          id,
          ...input,
          ...meaningOf(input.promptText, detection),
          userId: personOf(actor),
          ...whereOf(terminal),
        },
        actor,
      )
      if (!done.ok) return done
      const event = await read.inputEvent(id)
      return event ? ok(event) : notFound('input_event', id)
    },
    async infer({ promptText, sessionId, program, host, actor }) {
      const userId = personOf(actor)
      if (userId === null) return fail(nobodys)
      const found = sessionId === null ? null : await terminals.get(sessionId, actor)
      if (found !== null && !found.ok) return found
      const { promptType, secret, dangerous } = meaningOf(promptText, found?.value.detection ?? null)
      const here = found === null ? {} : whereOf(found.value.terminal)
      const said = { ...(program !== null && { program }), ...(host !== null && { host }) }
      return ok(await read.inferInput({ userId, promptText, promptType, secret, dangerous, ...here, ...said }))
    },
  }
}

const nobodys = {
  kind: 'forbidden' as const,
  code: 'not_permitted',
  message: 'Past answers belong to a person, and nobody is signed in.',
}

/** Event ids are random; a repeated report gets the id of the first. */
const idOfKey = (key: string): InputEventId =>
  derivedId<InputEventId>('input', key).replace(/^(.{14})./, '$14') as InputEventId

/** As detected on the screen if it is the waiting prompt; otherwise derived from its text. */
function meaningOf(text: string, detection: Detection | null) {
  if (detection?.waiting && detection.promptText.trim() === text.trim())
    return { promptType: detection.promptType, secret: detection.secret, dangerous: detection.isDangerous }
  const lines = text.trimEnd().split('\n')
  const { type, secret, dangerous } = understand({
    text,
    line: lines.at(-1) ?? '',
    above: lines.slice(0, -1).slice(-30),
    menu: null,
    fullScreen: false,
    secretByMode: false,
    canonical: null,
    program: null,
  })
  return { promptType: type, secret, dangerous }
}

const whereOf = ({ command, host, sessionType }: Terminal) => ({
  program: sessionType === 'ssh' ? 'ssh' : basename(command?.[0] ?? ''),
  host: host ?? '',
})
