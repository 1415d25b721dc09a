import { expect, it } from 'vitest'
import type { Keeper } from '../../../../keeper-client/client.ts'
import { noLooks } from '../../../../domain/terminal/looks.ts'
import { ok } from '../../../../lib/result.ts'
import type { TypingContext } from '../../protocol.ts'
import type { AnswerInput } from './answer-input.ts'
import { typeAnswer } from './type-answer.ts'

const waits = { pid: 7, mark: 'reads' }
const seenAt = (to: number, promptId: string) =>
  ({
    detection: { state: 'waiting', waiting: true, promptId, promptText: 'Keep it? ', secret: false },
    isSure: true,
    line: 'Keep it? ',
    to,
    inputs: 3,
    waits,
    mode: { echo: true, canonical: true },
    bracketedPaste: false,
    applicationCursor: false,
    screen: 'Keep it? ',
    looks: noLooks,
    cursorRow: 0,
  }) as TypingContext

const wanted: AnswerInput = {
  text: 'y',
  keys: [],
  pressEnter: true,
  expectPrompt: 'first',
  secret: false,
  actor: { kind: 'system', name: 'test' },
}

it('the keeper writes an answer only if nothing changed since the last look', async () => {
  let now = seenAt(40, 'first')
  const conditions: unknown[] = []
  // The program continues between the look and the write.
  const keeper: Pick<Keeper, 'writeIf'> = {
    writeIf: async (_childId, _key, _bytes, condition) => {
      conditions.push(condition)
      now = seenAt(60, 'second')
      return ok({ written: false, why: 'printed' })
    },
  }
  const deps = { keeper: keeper as Keeper, childId: 't', typists: new Map(), look: async () => ok(now) }
  expect(await typeAnswer(deps, wanted)).toMatchObject({ value: { status: 'refused_stale' } })
  expect(conditions).toEqual([{ to: 40, inputs: 3, waits }])
})
