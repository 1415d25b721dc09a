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
  /** The program has ended: what it said last is in the recording. */
  isOver?: true
}

export type AnswerInput = {
  text: string
  keys: readonly string[]
  pressEnter: boolean
  expectPrompt: string | null
  secret: boolean
  actor: Actor
  /** Seen before with the same key: nothing is typed again. */
  key?: string
  /** A person, or the policy, has seen what an agent wants to type here. */
  approved?: boolean
  /** Signalbox itself types it, because a person confirmed that it may. */
  byRule?: boolean
}

type Deps = {
  keeper: Keeper
  childId: string
  typists: Map<string, Typist>
  look(): Promise<Result<TypingContext>>
}

/** A program that paints all the time is tried between two pictures. */
const patienceMs = 1500
const proofMs = 2000
/** A line editor shows a letter by then. */
const echoMs = 400
const echoStepMs = 20
/** The kernel keeps so many bytes of a line, its end included, and drops the rest. */
const mostInLine = 4095
const unsureMs = 30
/** What the program says to an answer is on the screen by then. */
const showMs = 30
/** Who has not turned the echo off by then shows what is typed, which is masked where it is kept. */
const hideMs = 400

/** Types an answer into the prompt it is meant for and no other, and says what came of it (T9). */
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
  // An empty answer is the Enter alone; keys end with their own.
  const enter = wanted.pressEnter && (wanted.text !== '' || wanted.keys.length === 0) ? '\r' : ''
  if (wanted.text === '' && keys.value === '' && enter === '') return nothingToType
  if (before.mode?.canonical === true && Buffer.byteLength(wanted.text) >= mostInLine) return tooLong
  // How a terminal is set can't always be told in time: then it may be single keys that are read.
  const raw = before.mode?.canonical !== true
  const { secret } = before.detection
  const parts = { text: wanted.text.replace(/\r?\n$/, ''), keys: keys.value, enter }
  const steps = stepsOf(parts, raw && !secret, before.bracketedPaste)
  const key = wanted.key ?? newId<string>()
  if (isFree(wanted)) {
    const written = await deps.keeper.write(deps.childId, key, keys.value)
    if (!written.ok) return written
    // Who has taken the keyboard sees for themselves what each key does, and does not wait for it.
    if (!wanted.pressEnter) return ok({ status: 'unverified', screenAfter: before.screen })
    return ok(await prove(deps, before, wanted))
  }
  let shown: string | null = ''
  let isWhole = true
  for (const [index, step] of steps.entries()) {
    isWhole = false
    // The first letter may have been the whole answer: then the program has gone on, and the rest is for nobody.
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

/** Why nothing may be typed now: a status, or a fault. */
function judge({ detection, mode }: TypingContext, wanted: AnswerInput): InputStatus | Failed | null {
  const { actor, expectPrompt } = wanted
  if (detection.state === 'exited') return expectPrompt === null ? 'refused_unreadable' : 'refused_stale'
  if (expectPrompt !== null && (!detection.waiting || detection.promptId !== expectPrompt)) return 'refused_stale'
  if (!detection.waiting) return isFree(wanted) ? null : 'refused_unreadable'
  const refused = authorizeTerminalAnswer(actor, detection, wanted.approved === true)
  if (refused) return refused
  // Typed where it is echoed, it would be shown and kept.
  // Line editors run without echo too, and show it themselves.
  const isHidden = mode !== null && mode.canonical && !mode.echo
  if (wanted.secret && !detection.secret && !isHidden) return wouldEcho
  return null
}

/** Keys that are meant for no prompt. */
const isFree = ({ actor, expectPrompt, keys, text }: AnswerInput): boolean =>
  expectPrompt === null && keys.length > 0 && text === '' && authorizeAction(actor, 'terminal.type_unprompted') === null

const inside = /^(?:up|down|left|right|home|end|page-?up|page-?down|tab|shift-tab|space|backspace|delete)$/
const ends = /^(?:enter|return)$/
const isControlKey = /^(?:ctrl|c|alt|m)-/

/** What answers one prompt may not go on to answer the next, which nobody has judged. */
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

/** Somebody's half line stands behind the prompt: an answer would become the rest of it. */
function isHalfTyped({ detection, line, mode }: TypingContext): boolean {
  const words = detection.promptText.split('\n').at(-1)?.trim() ?? ''
  const at = words === '' || mode?.canonical !== true ? -1 : line.lastIndexOf(words)
  return at !== -1 && line.slice(at + words.length).trim() !== ''
}

type Parts = { text: string; keys: string; enter: string }
/** What is written at once, and what of it a line editor shows; null: nobody can say. */
type Step = { bytes: string; shows: string | null }

/**
 * Where a program takes single keys, the first letter may be the whole answer: then the rest would answer the next
 * question. So the first goes alone there, and what follows only while it stands at the prompt.
 */
function stepsOf({ text, keys, enter }: Parts, raw: boolean, bracketedPaste: boolean): Step[] {
  const lines = text.replaceAll('\r\n', '\n')
  const all = `${lines.replaceAll('\n', '\r')}${keys}${enter}`
  if (!raw) return [{ bytes: all, shows: null }]
  // A line editor takes a paste for one thing, and the Enter behind it for its end.
  if (bracketedPaste && lines.includes('\n'))
    return [{ bytes: `\x1b[200~${lines.replaceAll('\x1b', '')}\x1b[201~${keys}${enter}`, shows: null }]
  const end = [keys, enter].filter((bytes) => bytes !== '').map((bytes) => ({ bytes, shows: null }))
  const [first = '', ...letters] = Array.from(lines)
  const typed = [first, letters.join('')].filter((part) => part !== '')
  const shows = (part: string) => (part.includes('\n') ? null : part)
  return [...typed.map((part) => ({ bytes: part.replaceAll('\n', '\r'), shows: shows(part) })), ...end]
}

/** Whether the same prompt is still being typed at: what was typed so far stands at the cursor, or is hidden there. */
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
    // Nothing shows where a secret is typed: only that nothing else happened either.
    return now.isSure && before.detection.secret && now.to === before.to
  }
}

/** What was typed, or bullets in its place, stands behind what stood there; numbers and wheels may turn. */
function isEcho({ line, detection }: TypingContext, now: string, typed: string): boolean {
  const letters = Array.from(now.trimEnd())
  const all = Array.from(typed.trimEnd())
  // Of a long one the beginning may have left the screen: its end must do.
  const wanted = all.length >= letters.length ? all.slice(-longEnough) : all
  const start = letters.length - wanted.length
  const tail = letters.slice(Math.max(0, start)).join('')
  if (tail !== wanted.join('') && !bullets.test(tail)) return false
  if (all.length >= letters.length && all.length > longEnough) return true
  const rest = still(letters.slice(0, Math.max(0, start)).join(''))
  // Full-screen programs take commands on a line of their own.
  return rest === still(line) || (rest === '' && detection.promptType === 'command')
}

const longEnough = 200
const bullets = /^[*•●∙·◦○▪■]+$/
const moving = /[\d\u2800-\u28ff◐◓◑◒|/\\-]+/g
const still = (text: string): string => text.replaceAll(moving, '').trimEnd()

/** False: the prompt is not, or no longer, the one it is meant for. */
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
    // Where the kernel could be asked before, an answer without its word would be typed on trust.
    const isBlind = waits === null && before.waits !== null
    if (isBlind || (prompt !== null && !seen.value.isSure)) {
      await pause(unsureMs)
      continue
    }
    if (isFirst && detection.secret && mode !== null && mode.echo && mode.canonical && Date.now() < hiddenBy) {
      // The prompt stands there and the echo may not be off yet: what is typed now would show on other screens.
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

/** Delivered is what the program shows to have taken: its prompt is gone, it went on, or the text stands there. */
async function prove(
  { look }: Deps,
  before: TypingContext,
  wanted: AnswerInput,
  /** What was typed of it, where not all was; null: all. */
  part: string | null = null,
): Promise<TypedAnswer> {
  const end = Date.now() + proofMs
  let screenAfter = before.screen
  for (let wait = 10; Date.now() < end; wait = Math.min(wait * 2, 200)) {
    await pause(wait)
    const now = await look()
    // Let go of, because its program has ended: by the answer.
    if (!now.ok)
      return now.fault.kind === 'not_found'
        ? { status: 'delivered', screenAfter, isOver: true }
        : { status: 'unverified', screenAfter }
    const { detection, screen, waits } = now.value
    screenAfter = screen
    // Half an answer that still stands there was taken by nobody.
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
