// Removes whole escape sequences, so that no rest stays as text: CSI, then OSC and similar, then short ones.
const esc = '\\u001b'
const sequences = new RegExp(
  [
    `(?:${esc}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `(?:${esc}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\r\\n]*(?:\\u0007|${esc}\\\\|\\u009c)?`,
    `${esc}[ -/]*[0-~]`,
  ].join('|'),
  'g',
)
/** Control characters except tab and line feed, and marks that change the text direction. */
const controls = /(?![\t\n])[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Untrusted text, safe to print: it can't move the cursor, colour, hide or reorder anything. */
export const cleanText = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(sequences, '').replace(controls, '')

/** The same on one line. */
export const cleanLine = (text: string): string => cleanText(text).replaceAll(/\s+/g, ' ').trim()

/** Invisible characters, and those that move visible ones. */
const unseen =
  /(?![\t\n])[\p{Cc}\u200b\u2028\u2029\u2060-\u2064\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

const visible = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}

/** Text to decide about, exact: nothing is left out, and invisible characters are escaped. */
export const exactText = (text: string): string => text.replaceAll('\r\n', '\n').replace(unseen, visible)

/** The same on one line. */
export const exactLine = (text: string): string => exactText(text).replaceAll(/\s+/g, ' ').trim()

const unfinished = new RegExp(
  [
    `(?:${esc}\\[|\\u009b)[0-?]*[ -/]*$`,
    `(?:${esc}[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c\\r\\n]*${esc}?$`,
    `${esc}[ -/]*$`,
    '\\r$',
    '[\\ud800-\\udbff]$',
  ].join('|'),
)
/** Limit for a sequence that never ends. */
const longestHeld = 4096

/** Cleans text that arrives in pieces, wherever they are split. */
export function createCleaner(): { push(text: string): string; end(): string } {
  let held = ''
  return {
    push(text) {
      const all = held + text
      const start = unfinished.exec(all)?.index ?? all.length
      const cut = all.length - start > longestHeld ? all.length : start
      held = all.slice(cut)
      return cleanText(all.slice(0, cut))
    },
    end() {
      const rest = cleanText(held)
      held = ''
      return rest
    },
  }
}
