export const spinner = /[\u2801-\u28ff◐◓◑◒◴◷◶◵◜◝◞◟]/u

/** Signs in a line that work is in progress, each with its description. */
const signs: readonly (readonly [RegExp, string])[] = [
  [spinner, 'a spinner'],
  [/(?:^|\s)[|/\\-]\s*$/, 'a spinner'],
  [/[█▓▒▉▊▋▌▍▎▏]{2}|[━╸╺]{3}|\[[=#>*. -]{5,}\]|#{6}|\[[^[\]=]{0,40}={5,}>/u, 'a progress bar'],
  [/(?:^|[\s([:])\d{1,3}(?:[.,]\d+)?\s?%/, 'a percentage'],
  [/\b\d+(?:[.,]\d+)?\s?[kKMGT]?i?B(?:ytes)?\/s(?:ec)?\b|\bETA\b|\beta \d/, 'a rate or a remaining time'],
  [/^[.\s!+*FEs]{4,}$/, 'growing dots'],
]

export function workingSign(line: string): string | null {
  for (const [sign, words] of signs) if (sign.test(line)) return words
  return null
}

const asksAnyway =
  /\?|[[(]y(?:es)?\s?[/|,]|\[(?!\s*\d+\s*[/%])[^[\]]*\]:\s*$|\b(?:enter|type|passphrase|pass phrase|password|passwort|mot de passe|contrase|press|hit|choose|select)\b/i
const goingOn =
  /^[^\p{L}\d]{0,40}(?:\d+\s?\/\s?\d+[^\p{L}\d]{1,9})?(?:\p{L}{1,40}[/:]\s*)?(?:(?!(?:working directory|anything|something|nothing|everything|existing|mailing|billing|shipping|landing|incoming|outgoing|string|heading|greeting|rating|meeting)\b)\p{Lu}?\p{Ll}{2,}ing|please wait|wait)\b/iu
const loggedAt =
  /^\W{0,2}(?:\d{4}-\d\d-\d\d|\d\d-\d\d \d\d:\d\d|\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d)|^\[?\s*(?:info|debug|warn(?:ing)?|error|trace|notice|fatal|ok|done|failed)\s*(?:\]|\b)[\s:]/i

/** A log line, whatever it says. */
export const isLogged = (line: string): boolean => loggedAt.test(line.trim())

/** A line that says what is being done, whatever its ending: `Migrating:`, `12:03:44 connecting:`. */
export function tellsWork(line: string): boolean {
  // One word and a sign is an interpreter's prompt, even with a date: `2026-11-16:00>`
  if (/^\S{1,40}[>$#]$/u.test(line.trim())) return false
  if (/(?:\.\.\.|…)\s*$/u.test(line)) return !/\?\s?\.{2,3}$|^\s*(?:\.\.\.|…)\s*$/u.test(line.trimEnd())
  if (asksAnyway.test(line)) return false
  return goingOn.test(line.trim()) || loggedAt.test(line)
}

/** `Waiting for the service to start...`, without anything before it that could be a prompt. */
export const announcesWork = (line: string): boolean =>
  /^\s*\p{Lu}\p{Ll}+ing\s[\p{L}\d ,'’/-]{2,60}(?:\.\.\.|…)\s*$/u.test(line)

/** A progress bar that stays below scrolling text. */
export const progressBar = /[█▓▒▉▊▋▌▍▎▏]{3}|[━╸╺]{6}|\[[=#>*.\s-]{10,}\]/u

/** A line that is animated; typed text may contain a percentage, but not a spinner. */
export const animated = (line: string): boolean => spinner.test(line) || progressBar.test(line)

/** Full-screen programs say how to interrupt what they are doing. */
export const interruptible = /\besc(?:ape)? to (?:interrupt|stop)\b|\(esc to cancel, [\dhms ]+\)/i
