/**
 * Shortens the strings that sequences carry (OSC, DCS, SOS, PM, APC): the emulator keeps a whole one, at some thirty bytes for
 * each character, and a program can send them without end.
 */
export type BoundedStrings = (text: string) => string

const longest = 8 * 1024
// eslint-disable-next-line no-control-regex -- control characters are the point
const opening = /\u001b(?:[\]PX^_]|$)|[\u0090\u0098\u009d-\u009f]/g
// eslint-disable-next-line no-control-regex -- as above
const ending = /[\u0018\u001a\u001b\u009c]/g
/** The end of an OSC may also be a bell. */
// eslint-disable-next-line no-control-regex -- as above
const endingOsc = /[\u0007\u0018\u001a\u001b\u009c]/g

const isOsc = (opened: string): boolean => opened === '\u001b]' || opened === '\u009d'

export function createBoundedStrings(): BoundedStrings {
  let end: RegExp | null = null
  let passed = 0
  /** The text ended in an escape: what it begins is not known yet. */
  let isTorn = false

  return (text) => {
    if (text === '') return text
    const pieces: string[] = []
    let at = 0
    if (isTorn && end === null && /[\]PX^_]/.test(text.charAt(0))) {
      end = text.startsWith(']') ? endingOsc : ending
      passed = 0
      pieces.push(text.charAt(0))
      at = 1
    }
    isTorn = false
    while (at < text.length) {
      if (end === null) {
        opening.lastIndex = at
        const found = opening.exec(text)
        if (found === null) break
        const next = found.index + found[0].length
        pieces.push(text.slice(at, next))
        at = next
        if (found[0] === '\u001b') isTorn = true
        else {
          end = isOsc(found[0]) ? endingOsc : ending
          passed = 0
        }
      } else {
        end.lastIndex = at
        const until = end.exec(text)?.index ?? text.length
        pieces.push(text.slice(at, Math.min(until, at + longest - passed)))
        passed = Math.min(longest, passed + until - at)
        at = until
        if (until < text.length) end = null
      }
    }
    // Usually nothing was left out, and the text stays one piece.
    return pieces.length === 0 ? text : pieces.join('') + text.slice(at)
  }
}
