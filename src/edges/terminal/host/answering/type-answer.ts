import { choiceMeant } from '../../../../domain/terminal/drawn-menu.ts'
import { newId } from '../../../../lib/id.ts'
import { fail, ok, type Result } from '../../../../lib/result.ts'
import type { TypingContext } from '../../protocol.ts'
import { bytesOf } from '../key-bytes.ts'
import { isFree, refusalOf } from './admission.ts'
import type { AnswerInput, TypedAnswer, TypingDeps } from './answer-input.ts'
import { chooseEntry, entriesMeant } from './choose-entry.ts'
import { prove } from './prove.ts'
import { typeText } from './type-text.ts'

/** Types an answer into the prompt it is meant for and no other, and reports the outcome (T9). */
export async function typeAnswer(deps: TypingDeps, wanted: AnswerInput): Promise<Result<TypedAnswer>> {
  const seen = await deps.look()
  if (!seen.ok) return seen
  const before = seen.value
  const refused = refusalOf(before, wanted)
  if (refused) return typeof refused === 'string' ? ok({ status: refused, screenAfter: before.screen }) : refused
  const keys = bytesOf(wanted.keys, before.applicationCursor)
  if (!keys.ok) return keys
  // An empty answer is only Enter; keys bring their own.
  const enter = wanted.pressEnter && (wanted.text !== '' || wanted.keys.length === 0) ? '\r' : ''
  if (wanted.text === '' && keys.value === '' && enter === '') return nothingToType
  const key = wanted.key ?? newId<string>()
  if (isFree(wanted)) {
    const written = await deps.keeper.write(deps.childId, key, keys.value)
    if (!written.ok) return written
    // A person at the keyboard sees what each key does, and does not wait for it.
    if (!wanted.pressEnter) return ok({ status: 'unverified', screenAfter: before.screen })
    const { promptId } = before.detection
    return ok(await prove(deps, before, wanted, { text: null, isWhole: true, promptId }))
  }
  const entries = entriesMeant(before, wanted)
  if (entries) return chooseEntry(deps, before, entries, wanted, key)
  const parts = { text: keyMeant(before, wanted), keys: keys.value, enter }
  return typeText(deps, before, parts, wanted, key)
}

/** In a list with numbers, the number of the entry that the text names. */
function keyMeant({ detection }: TypingContext, { text }: AnswerInput): string {
  const line = text.replace(/\r?\n$/, '')
  const label = choiceMeant(detection.choices ?? [], line)?.label ?? ''
  return /^(\d{1,2})[.)]\s/u.exec(label)?.[1] ?? line
}

const nothingToType = fail({
  kind: 'invalid',
  code: 'nothing_to_type',
  message: 'Nothing to type: give text, keys or Enter.',
  hint: 'To press only Enter, send an empty text with pressEnter.',
})
