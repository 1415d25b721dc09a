import { setTimeout as pause } from 'node:timers/promises'
import { authorizeAction, authorizeTerminalAnswer } from '../../../app/authorize-action.ts'
import type { InputStatus } from '../../../app/terminals.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import type { Keeper } from '../../../keeper-client/client.ts'
import { newId } from '../../../lib/id.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import type { TypingContext } from '../protocol.ts'
import type { Typist } from './live-terminal.ts'
import { bytesOf } from './key-bytes.ts'

export type TypedAnswer = {
  status: InputStatus
  screenAfter: string
  /** The program has ended: its last output is in the recording. */
  isOver?: true
}

export type AnswerInput = {
  text: string
  keys: readonly string[]
  pressEnter: boolean
  expectPrompt: string | null
  secret: boolean
  actor: Actor
  /** With a key seen before, nothing is typed again. */
  key?: string
  /** A person or the policy has approved what an agent wants to type. */
  approved?: boolean
  /** Signalbox types it because a person confirmed this answer. */
  byRule?: boolean
}

type Deps = {
  keeper: Keeper
  childId: string
  typists: Map<string, Typist>
  look(): Promise<Result<TypingContext>>
}

/** For a program that redraws all the time: try again between two frames. */
const patienceMs = 1500
const proofMs = 2000
/** A line editor echoes a letter within this time. */
const echoMs = 400
const echoStepMs = 20
/** The kernel keeps this many bytes of a line, including its end, and drops the rest. */
const mostInLine = 4095
const unsureMs = 30
/** The program's reaction to an answer is on the screen by then. */
const showMs = 30
/** A program that has not turned the echo off by then shows what is typed; recordings mask it. */
const hideMs = 400

/** Types an answer into the prompt it is meant for and no other, and reports the outcome (T9). */
export async function typeAnswer(deps: Deps, wanted: AnswerInput): Promise<Result<TypedAnswer>> {
  const seen = await deps.look()
  if (!seen.ok) return seen
  const before = seen.value
  const refused = judge(before, wanted) ?? moreThanOne(before, wanted)
  if (!refused && isHalfTyped(before) && !isFree(wanted))
    return ok({ status: 'refused_stale', screenAfter: before.screen })
  if (refused) return typeof refused === 'string' ? ok({ status: refused, screenAfter: before.screen }) : refused
  const keys = bytesOf(wanted.keys, before.applicationCursor)
  if (!keys.ok) return keys
  // An empty answer is only Enter; keys bring their own.
  const enter = wanted.pressEnter && (wanted.text !== '' || wanted.keys.length === 0) ? '\r' : ''
  if (wanted.text === '' && keys.value === '' && enter === '') return nothingToType
  if (before.mode?.canonical === true && Buffer.byteLength(wanted.text) >= mostInLine) return tooLong
  // The mode is not always known in time: the program may read single keys.
  const raw = before.mode?.canonical !== true
  const { secret } = before.detection
  const parts = { text: wanted.text.replace(/\r?\n$/, ''), keys: keys.value, enter }
  const steps = stepsOf(parts, raw && !secret, before.bracketedPaste)
  const key = wanted.key ?? newId<string>()
  if (isFree(wanted)) {
    const written = await deps.keeper.write(deps.childId, key, keys.value)
    if (!written.ok) return written
    // A person at the keyboard sees what each key does, and does not wait for it.
    if (!wanted.pressEnter) return ok({ status: 'unverified', screenAfter: before.screen })
    return ok(await prove(deps, before, wanted))
  }
  let shown: string | null = ''
  let isWhole = true
  for (const [index, step] of steps.entries()) {
    isWhole = false
    // The first letter may have been the whole answer: then the rest must not be typed.
    if (index > 0 && !(await isStillTyped(deps, before, shown))) break
    const written = await writeStep(deps, `${key}:${index}`, step.bytes, before, wanted, index === 0)
    if (!written.ok) return written
    if (!written.value) {
      if (index > 0) break
      return ok({ status: 'refused_stale', screenAfter: await screenOf(deps, before) })
    }
    shown = shown === null || step.shows === null ? null : shown + step.shows
    isWhole = true
  }
  return ok(await prove(deps, before, wanted, isWhole ? null : shown))
}

/** Why nothing may be typed now: a status or a fault, or null. */
function judge({ detection, mode }: TypingContext, wanted: AnswerInput): InputStatus | Failed | null {
  const { actor, expectPrompt } = wanted
  if (detection.state === 'exited') return expectPrompt === null ? 'refused_unreadable' : 'refused_stale'
  if (expectPrompt !== null && (!detection.waiting || detection.promptId !== expectPrompt)) return 'refused_stale'
  if (!detection.waiting) return isFree(wanted) ? null : 'refused_unreadable'
  const refused = authorizeTerminalAnswer(actor, detection, wanted.approved === true)
  if (refused) return refused
  // With echo it would be shown and recorded.
  // Line editors run without echo too, and show it themselves.
  const isHidden = mode !== null && mode.canonical && !mode.echo
  if (wanted.secret && !detection.secret && !isHidden) return wouldEcho
  return null
}

/** Keys without a prompt. */
const isFree = ({ actor, expectPrompt, keys, text }: AnswerInput): boolean =>
  expectPrompt === null && keys.length > 0 && text === '' && authorizeAction(actor, 'terminal.type_unprompted') === null

const inside = /^(?:up|down|left|right|home|end|page-?up|page-?down|tab|shift-tab|space|backspace|delete)$/
const ends = /^(?:enter|return)$/
const isControlKey = /^(?:ctrl|c|alt|m)-/

/** An answer to one prompt must not also answer the next, which was not judged. */
function moreThanOne({ bracketedPaste }: TypingContext, wanted: AnswerInput): Failed | null {
  if (isFree(wanted)) return null
  const text = wanted.text.replace(/\r?\n$/, '')
  const mayPaste = bracketedPaste && authorizeAction(wanted.actor, 'terminal.paste_lines') === null
  // oxlint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0b-\x1f\x7f]/.test(text) || (text.includes('\n') && !mayPaste)) return oneAnswer
  const keys = wanted.keys.map((key) => key.toLowerCase().replaceAll('_', '-'))
  const last = keys.at(-1) ?? ''
  const before = keys.slice(0, -1)
  if (before.some((key) => !inside.test(key))) return oneAnswer
  const mayPress = !isControlKey.test(last) || authorizeAction(wanted.actor, 'terminal.press_control_key') === null
  const single = keys.length === 1 && mayPress
  return keys.length === 0 || inside.test(last) || ends.test(last) || single ? null : oneAnswer
}

/** A person has typed half a line at the prompt: an answer would be appended to it. */
function isHalfTyped({ detection, line, mode }: TypingContext): boolean {
  const words = detection.promptText.split('\n').at(-1)?.trim() ?? ''
  const at = words === '' || mode?.canonical !== true ? -1 : line.lastIndexOf(words)
  return at !== -1 && line.slice(at + words.length).trim() !== ''
}

type Parts = { text: string; keys: string; enter: string }
/** What is written at once, and what a line editor shows of it; null: unknown. */
type Step = { bytes: string; shows: string | null }

/**
 * If a program reads single keys, the first letter may be the whole answer, and the rest would answer the next
 * question. So the first is typed alone, and the rest only while it is still at the prompt.
 */
function stepsOf({ text, keys, enter }: Parts, raw: boolean, bracketedPaste: boolean): Step[] {
  const lines = text.replaceAll('\r\n', '\n')
  const all = `${lines.replaceAll('\n', '\r')}${keys}${enter}`
  if (!raw) return [{ bytes: all, shows: null }]
  // A line editor takes a paste as one unit, and Enter after it as its end.
  if (bracketedPaste && lines.includes('\n'))
    return [{ bytes: `\x1b[200~${lines.replaceAll('\x1b', '')}\x1b[201~${keys}${enter}`, shows: null }]
  const end = [keys, enter].filter((bytes) => bytes !== '').map((bytes) => ({ bytes, shows: null }))
  const [first = '', ...letters] = Array.from(lines)
  const typed = [first, letters.join('')].filter((part) => part !== '')
  const shows = (part: string) => (part.includes('\n') ? null : part)
  return [...typed.map((part) => ({ bytes: part.replaceAll('\n', '\r'), shows: shows(part) })), ...end]
}

/** Whether the same prompt is still open: what was typed so far is at the cursor, or is hidden. */
async function isStillTyped({ look }: Deps, before: TypingContext, typed: string | null): Promise<boolean> {
  const end = Date.now() + echoMs
  for (;;) {
    await pause(echoStepMs)
    const seen = await look()
    if (!seen.ok) return false
    const now = seen.value
    if (now.detection.promptId !== before.detection.promptId) return false
    if (now.isSure && (typed === null || isEcho(before, now.line, typed))) return true
    if (Date.now() < end) continue
    // A secret shows nothing: it is enough that nothing else was printed.
    return now.isSure && before.detection.secret && now.to === before.to
  }
}

/** The typed text, or bullets, follows the earlier line; numbers and spinners may change. */
function isEcho({ line, detection }: TypingContext, now: string, typed: string): boolean {
  const letters = Array.from(now.trimEnd())
  const all = Array.from(typed.trimEnd())
  // The beginning of a long line may have left the screen: compare its end.
  const wanted = all.length >= letters.length ? all.slice(-longEnough) : all
  const start = letters.length - wanted.length
  const tail = letters.slice(Math.max(0, start)).join('')
  if (tail !== wanted.join('') && !bullets.test(tail)) return false
  if (all.length >= letters.length && all.length > longEnough) return true
  const rest = still(letters.slice(0, Math.max(0, start)).join(''))
  // Full-screen programs take commands on a separate line.
  return rest === still(line) || (rest === '' && detection.promptType === 'command')
}

const longEnough = 200
const bullets = /^[*•●∙·◦○▪■]+$/
const moving = /[\d\u2800-\u28ff◐◓◑◒|/\\-]+/g
const still = (text: string): string => text.replaceAll(moving, '').trimEnd()

/** False: it is not, or no longer, the intended prompt. */
async function writeStep(
  { keeper, childId, typists, look }: Deps,
  key: string,
  step: string,
  before: TypingContext,
  wanted: AnswerInput,
  isFirst: boolean,
): Promise<Result<boolean>> {
  const prompt = before.detection.promptId
  const hiddenBy = Date.now() + hideMs
  for (const end = Date.now() + patienceMs; Date.now() < end;) {
    const seen = await look()
    if (!seen.ok) return seen
    const { detection, to, inputs, waits, mode } = seen.value
    if (detection.promptId !== prompt) return ok(false)
    // If the kernel reported the wait before, do not type without its report now.
    const isBlind = waits === null && before.waits !== null
    if (isBlind || (prompt !== null && !seen.value.isSure)) {
      await pause(unsureMs)
      continue
    }
    if (isFirst && detection.secret && mode !== null && mode.echo && mode.canonical && Date.now() < hiddenBy) {
      // The prompt is there but the echo may not be off yet: a secret would be shown.
      await pause(20)
      continue
    }
    typists.set(key, typistOf(wanted, detection.secret))
    const written = await keeper.writeIf(childId, key, step, { to, inputs, waits })
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

async function screenOf({ look }: Deps, before: TypingContext): Promise<string> {
  const now = await look()
  return now.ok ? now.value.screen : before.screen
}

/** Delivered means the program shows that it read the answer: its prompt is gone, or it printed and ran. */
async function prove(
  { look }: Deps,
  before: TypingContext,
  wanted: AnswerInput,
  /** The part that was typed; null: all of it. */
  part: string | null = null,
): Promise<TypedAnswer> {
  const end = Date.now() + proofMs
  let screenAfter = before.screen
  for (let wait = 10; Date.now() < end; wait = Math.min(wait * 2, 200)) {
    await pause(wait)
    const now = await look()
    // No longer watched: the answer ended the program.
    if (!now.ok)
      return now.fault.kind === 'not_found'
        ? { status: 'delivered', screenAfter, isOver: true }
        : { status: 'unverified', screenAfter }
    const { detection, screen, waits } = now.value
    screenAfter = screen
    // Half an answer that is still there was not read.
    if (part !== null && part !== '' && isEcho(before, now.value.line, part)) continue
    const isGone = detection.promptId !== before.detection.promptId
    const hasShown = !wanted.secret && screen !== before.screen && now.value.to > before.to
    const hasRead = before.waits !== null && waits?.mark !== before.waits.mark
    if (isGone || (hasShown && hasRead)) {
      await pause(showMs)
      const after = await look()
      if (after.ok) return { status: 'delivered', screenAfter: after.value.screen }
      return { status: 'delivered', screenAfter, isOver: true }
    }
  }
  return { status: 'unverified', screenAfter }
}

const oneAnswer = fail({
  kind: 'invalid',
  code: 'one_answer_at_a_time',
  message: 'Only one line or one choice can be sent. The rest would go to a prompt that nobody has seen.',
  hint: 'Send one line without control characters, or keys with one Enter at the end, then look again.',
})

const nothingToType = fail({
  kind: 'invalid',
  code: 'nothing_to_type',
  message: 'Nothing to type: give text, keys or Enter.',
  hint: 'To press only Enter, send an empty text with pressEnter.',
})

const tooLong = fail({
  kind: 'invalid',
  code: 'answer_too_long',
  message: `Too long: a terminal keeps at most ${mostInLine} bytes of a line, and the rest would be lost.`,
  hint: 'Send a shorter answer, or put it into a file and send its name.',
})

const wouldEcho = fail({
  kind: 'conflict',
  code: 'would_be_shown',
  message: 'This prompt shows what is typed, so a secret would be seen and recorded.',
  hint: 'Check the screen first. If it can be shown, send it without `secret`.',
})
