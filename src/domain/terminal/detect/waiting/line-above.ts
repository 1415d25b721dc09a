import { oneLine } from '../text/strip.ts'
import type { View } from '../text/view.ts'
import { asksForKey, listsCommands, shapeOf } from './shape.ts'
import { tellsWork, workingSign } from './working-signs.ts'

/** `[P] Yes, prepend  [A] Yes, append  [N] No` */
const keyed = /(?:^|\s)[[(][\p{L}\d?]{1,2}[\])]\s?\p{L}/gu
const answers = /[[(](?:y|yes|j|ja|o|s)\s?[/|,]\s?(?:n|no|nein|non)(?:[/|,][^\])]{1,20})?[\])]\s*[?:.]?$/iu
const wants =
  /^\W*(?:please )?(?:enter|type|input|choose|select|pick|specify|provide)\b.*[:?]$|^\W*(?:what|which|who|where|how)\b.*\?$|^\W*(?:do|would|are|should|shall) (?:you|i|we)\b.*\?$/iu
/** An answer that is not shown leaves its question behind. */
const hidden = /pass(?:word|phrase|code)|passwor|kennwort|mot de passe|contrase|token|secret|\bpin\b|密码|パスワード/iu

/** What an empty line under it waits for; null where the line above asks nothing. */
export function askedAbove({ lines, at }: View): { question: string; why: string } | null {
  let row = at - 1
  while (row > at - 3 && (lines[row]?.text.trim() ?? '') === '') row -= 1
  const line = lines[row]?.text.trim() ?? ''
  const found = (why: string) => ({ question: oneLine(line), why })
  if (asksForKey(line)) return found('a key is asked for on the line above')
  if (row === at - 1 && listsCommands(line)) return found('a list of commands')
  if (hidden.test(line) || workingSign(line) !== null || tellsWork(line)) return null
  if ([...line.matchAll(keyed)].length >= 2) return found('the answers stand on the line above')
  if (answers.test(line)) return found('a question stands on the line above')
  return wants.test(line) && shapeOf(`${line} `).strength === 'strong' ? found('the line above asks') : null
}
