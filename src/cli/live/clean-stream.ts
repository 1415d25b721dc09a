import { cleanText } from '../clean-text.ts'

// The possible start of an escape sequence, or half of a surrogate pair.
const esc = '\\u001b'
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
