import type { TypingContext } from '../../protocol.ts'

/** Whether the typed text, or bullets, follows the earlier line at the cursor; numbers and spinners may change. */
export function isEcho({ line, detection }: TypingContext, now: string, typed: string): boolean {
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
