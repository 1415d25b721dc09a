import { setTimeout as pause } from 'node:timers/promises'
import { isNamed } from '../../../../domain/terminal/drawn-menu.ts'
import { isConfirmLit } from '../../../../domain/terminal/menu-keys.ts'
import { isInPlace, leftInField, typedField, type TypedField } from '../../../../domain/terminal/typed-field.ts'
import { ok, type Result } from '../../../../lib/result.ts'
import type { TypingContext } from '../../protocol.ts'
import type { AnswerInput, TypedAnswer, TypingDeps } from './answer-input.ts'
import { isEcho } from './echo.ts'
import { prove, type Typed } from './prove.ts'
import { drawnOf, rowsOf, screenOf, writeStep } from './write-step.ts'

/** A line editor echoes a letter within this time. */
const echoMs = 400
const echoStepMs = 20
/** A busy machine takes this long to see that the program reads again. */
const sureMs = 1500

export type TextParts = { text: string; keys: string; enter: string }

const killLine = '\x15'
const backspace = '\x7f'

/**
 * Types a line. If a program reads single keys, the first letter may be the whole answer, and the rest would answer the
 * next question. So the first is typed alone, and the rest only while it is seen in the field. Enter comes last, and
 * only if the field shows the whole text and nothing else.
 */
export async function typeText(
  deps: TypingDeps,
  before: TypingContext,
  { text, keys, enter }: TextParts,
  wanted: AnswerInput,
  key: string,
): Promise<Result<TypedAnswer>> {
  let typed: Typed = { text: '', isWhole: false, promptId: before.detection.promptId }
  let presses = 0
  const press = (bytes: string): Promise<Result<boolean>> => {
    const step = { key: `${key}:${presses}`, bytes, promptId: typed.promptId, isFirst: presses === 0 }
    presses += 1
    return writeStep(deps, step, before, wanted)
  }
  /** Types a piece, if what was typed before is in the field. */
  async function add(bytes: string, shown: string | null): Promise<Result<boolean>> {
    if (presses > 0) {
      const seen = await seenInField(deps, before, typed.text)
      if (!seen) return ok(false)
      typed = { ...typed, promptId: seen.promptId }
      const left = seen.field ? leftInField(seen.field, before.detection.promptText) : ''
      // Text of the program's own is in the field: the answer replaces it, once.
      if (left !== '' && presses > 1) return ok(false)
      if (left !== '') return pressed(`${killLine}${text}`, text)
      if (bytes === '\r' && seen.field && confirmsOther(seen.now, seen.field, text)) return ok(false)
    }
    return pressed(bytes, shown)
  }
  async function pressed(bytes: string, shown: string | null): Promise<Result<boolean>> {
    const written = await press(bytes)
    if (written.ok && written.value) typed = { ...typed, text: shown }
    return written
  }

  // The mode is not always known in time: the program may read single keys.
  const isEditor = before.mode?.canonical !== true && !before.detection.secret
  const pieces = isEditor
    ? editorPieces({ text, keys, enter }, before.bracketedPaste)
    : [{ bytes: lineOf(text, keys, enter), shown: null }]
  for (const [index, { bytes, shown }] of pieces.entries()) {
    const written = await add(bytes, shown)
    if (!written.ok) return written
    if (!written.value && index === 0) return ok({ status: 'refused_stale', screenAfter: await screenOf(deps, before) })
    if (!written.value) break
    if (index === pieces.length - 1) typed = { ...typed, isWhole: true }
  }
  let proven = await prove(deps, before, wanted, typed)
  if (proven.status === 'unverified' && isEditor && typed.isWhole) {
    const again = await asksForEnter(deps, before, typed.text)
    if (again) typed = { ...typed, promptId: again.detection.promptId }
    const pressedAgain = again ? await press('\r') : null
    if (pressedAgain?.ok && pressedAgain.value) proven = await prove(deps, before, wanted, typed)
  }
  if (proven.status === 'unverified' && isEditor) await takeBack(deps, before, typed, press)
  return ok(proven)
}

const lineOf = (text: string, keys: string, enter: string): string =>
  `${text.replaceAll(/\r?\n/g, '\r')}${keys}${enter}`

/** What is written at once, and what the field shows then; null: unknown. */
function editorPieces(
  { text, keys, enter }: TextParts,
  bracketedPaste: boolean,
): { bytes: string; shown: string | null }[] {
  const lines = text.replaceAll('\r\n', '\n')
  // A line editor takes a paste as one unit, and Enter after it as its end.
  if (bracketedPaste && lines.includes('\n'))
    return [{ bytes: `\x1b[200~${lines.replaceAll('\x1b', '')}\x1b[201~${keys}${enter}`, shown: null }]
  const first = Array.from(lines)[0] ?? ''
  const shown = lines.includes('\n') ? null : lines
  return [
    { bytes: first, shown: first },
    { bytes: lines.slice(first.length).replaceAll('\n', '\r'), shown },
    { bytes: keys, shown: null },
    // Enter shows nothing: what is in the field stays.
    { bytes: enter, shown: keys === '' ? shown : null },
  ].filter(({ bytes }) => bytes !== '')
}

type SeenInField = { promptId: string | null; field: TypedField | null; now: TypingContext }

/** Whether the same field is still open: what was typed so far is in it, or is hidden. */
async function seenInField(
  { look }: TypingDeps,
  before: TypingContext,
  typed: string | null,
): Promise<SeenInField | null> {
  const start = Date.now()
  for (;;) {
    await pause(echoStepMs)
    const seen = await look()
    if (!seen.ok) return null
    const now = seen.value
    const { promptId, waiting } = now.detection
    const isSame = promptId === before.detection.promptId
    // A placeholder that vanishes makes it another prompt by its text; the field is the same.
    const field = typed === null ? null : typedField(rowsOf(before), rowsOf(now), typed)
    if (waiting && now.isSure && field) return { promptId, field, now }
    if (now.isSure && isSame && (typed === null || isEcho(before, now.line, typed)))
      return { promptId, field: null, now }
    if (Date.now() < start + (field ? sureMs : echoMs)) continue
    // A secret shows nothing: it is enough that nothing else was printed.
    const isHidden = now.isSure && isSame && before.detection.secret && now.to === before.to
    return isHidden ? { promptId, field: null, now } : null
  }
}

/** In a list that is filtered by typing, Enter takes the pointed entry, which may be another one. */
function confirmsOther(now: TypingContext, field: TypedField, text: string): boolean {
  const below = rowsOf(now).slice(field.row + 1)
  const pointed = below.flatMap((row) => /^[\s│┃║|]*[●❯›▸▶►➤→]\s+(\S.*)$/u.exec(row)?.[1] ?? [])
  return pointed.length > 0 && !pointed.some((label) => isNamed(label, text))
}

/** Enter brought the mark to the button that confirms, or began an empty line in the field: once more is meant. */
async function asksForEnter(
  { look }: TypingDeps,
  before: TypingContext,
  text: string | null,
): Promise<TypingContext | null> {
  if (text === null || text === '') return null
  const seen = await look()
  if (!seen.ok || !seen.value.detection.waiting || !seen.value.isSure) return null
  const now = seen.value
  const { promptText } = before.detection
  const isSame = now.detection.promptText === promptText && isInPlace(rowsOf(before), rowsOf(now), promptText)
  const row = rowsOf(now).findLastIndex((shown) => shown.includes(text))
  if (!isSame || row === -1) return null
  if (isConfirmLit(drawnOf(now), row) === true) return isConfirmLit(drawnOf(before), row) === true ? null : now
  return isEmptyLine(now, row + 1) && !isEmptyLine(before, row + 1) ? now : null
}

/** A row with nothing but a frame and the cursor. */
function isEmptyLine(context: TypingContext, row: number): boolean {
  const text = (rowsOf(context)[row] ?? '').replace(/^[\s│┃║|]+/u, '').trimEnd()
  return context.cursorRow === null ? /^[_█▏]$/u.test(text) : context.cursorRow === row && text === ''
}

type Press = (bytes: string) => Promise<Result<boolean>>

/** Leaves the field as it was found, if the editor allows it. */
async function takeBack(deps: TypingDeps, before: TypingContext, { text }: Typed, press: Press): Promise<void> {
  if (text === null || text === '') return
  const now = await deps.look()
  if (!now.ok || typedField(rowsOf(before), rowsOf(now.value), text) === null) return
  await press(backspace.repeat(Array.from(text).length))
}
