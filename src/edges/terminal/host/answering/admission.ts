import { authorizeAction, authorizeTerminalAnswer } from '../../../../app/authorize-action.ts'
import type { InputStatus } from '../../../../app/terminals.ts'
import { fail, type Failed } from '../../../../lib/result.ts'
import type { TypingContext } from '../../protocol.ts'
import type { AnswerInput } from './answer-input.ts'

/** The kernel keeps this many bytes of a line, including its end, and drops the rest. */
const mostInLine = 4095

/** Why this answer may not be typed now: a status or a fault, or null. */
export function refusalOf(before: TypingContext, wanted: AnswerInput): InputStatus | Failed | null {
  const refused = judge(before, wanted) ?? moreThanOne(before, wanted)
  if (refused) return refused
  if (!isFree(wanted) && isHalfTyped(before)) return 'refused_stale'
  return before.mode?.canonical === true && Buffer.byteLength(wanted.text) >= mostInLine ? tooLong : null
}

/** Why nothing may be typed now: a status or a fault, or null. */
function judge({ detection, mode }: TypingContext, wanted: AnswerInput): InputStatus | Failed | null {
  const { actor, expectPrompt } = wanted
  if (detection.state === 'exited') return expectPrompt === null ? 'refused_unreadable' : 'refused_stale'
  if (expectPrompt !== null && (!detection.waiting || detection.promptId !== expectPrompt)) return 'refused_stale'
  if (!detection.waiting) return isFree(wanted) ? null : 'refused_unreadable'
  const refused = decidesNothing(wanted) ? null : authorizeTerminalAnswer(actor, detection, seenBy(wanted))
  if (refused) return refused
  // With echo it would be shown and recorded.
  // Line editors run without echo too, and show it themselves.
  const isHidden = mode !== null && mode.canonical && !mode.echo
  if (wanted.secret && !detection.secret && !isHidden) return wouldEcho
  return null
}

/** Keys without a prompt. */
export const isFree = ({ actor, expectPrompt, keys, text }: AnswerInput): boolean =>
  expectPrompt === null && keys.length > 0 && text === '' && authorizeAction(actor, 'terminal.type_unprompted') === null

/** Only the prompt that its sender saw can be confirmed. */
const seenBy = ({ approved, confirmed, expectPrompt }: AnswerInput) => ({
  approved: approved === true,
  confirmed: confirmed === true && expectPrompt !== null,
})

/** Keys of someone who watches the screen, or that answer no question. */
const decidesNothing = (wanted: AnswerInput): boolean =>
  authorizeAction(wanted.actor, 'terminal.type_unprompted') === null &&
  wanted.text === '' &&
  wanted.keys.length > 0 &&
  (isFree(wanted) && !wanted.pressEnter
    ? true
    : wanted.keys.every((key) => harmless.test(key.toLowerCase().replaceAll('_', '-'))))

const harmless = /^(?:up|down|left|right|home|end|page-?up|page-?down|esc(?:ape)?|ctrl-[cdgz]|c-[cdgz])$/

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

const oneAnswer = fail({
  kind: 'invalid',
  code: 'one_answer_at_a_time',
  message: 'Only one line or one choice can be sent. The rest would go to a prompt that nobody has seen.',
  hint: 'Send one line without control characters, or keys with one Enter at the end, then look again.',
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
