import { openSecret } from '../own-lines.ts'
import { endsAsQuestion, withoutBrackets, withoutEnd } from '../question.ts'
import { auxiliaryStart, whWords } from '../words/ask.ts'
import { pathWords } from '../words/path.ts'
import { aboutSecrets, onceMore, secretWords } from '../words/secret.ts'
import { isYes } from '../words/yes-no.ts'
import { agrees } from './agrees.ts'
import type { PromptParts } from './parts.ts'

/** Whether it asks for a secret, rather than asking about one. */
export const asksForSecret = (parts: PromptParts): boolean => {
  const { question } = parts
  if (onceMore.test(question) && parts.inline.length < 2 && openSecret.test(parts.answered ?? parts.near.at(-1) ?? ''))
    return true
  if (/no echo\)/iu.test(question)) return true
  if (
    /^(?:(?:input|value|enter (?:a|the) value)\s?:|[>❯›]{1,2})$/iu.test(question) &&
    parts.near.slice(-2).some((line) => ordersSecret.test(line) || namesSecret.test(line.trim()))
  )
    return true
  const plain = withoutBrackets(question)
  if (/(?<![\p{L}])(?:password|passphrase|pin)\s*[:：]?$/iu.test(plain) && !aboutSecrets.test(question)) return true
  const named = secretWords.test(plain) || (secretWords.test(question) && !/[\p{L}]{3}/u.test(plain))
  // The part after "for" does not count: `passphrase for key ID 7 [of the key file]`.
  const asked = (/\p{L}{3}/u.test(plain) ? plain : question).split(/ for (?!pass)/iu)[0] ?? ''
  if (!named || aboutSecrets.test(asked) || offersKeys.test(question)) return false
  if (parts.inline.length >= 2 && (agrees(parts.inline) || parts.inline.some(({ label }) => isYes(label)))) return false
  if (
    pathWords.test(plain) &&
    !/pass(?:word|phrase)|phrase secrète|mot de passe|contraseña|パス(?:ワード|フレーズ)|密码|口令/iu.test(plain)
  )
    return false
  if (pathWords.test(plain) && /^(?:enter |the )?(?:path|file|location|directory)/iu.test(plain)) return false
  if (!endsAsQuestion(question) || /^pass(?:word|phrase|code)(?![\p{L}])/iu.test(plain)) return true
  if (/^how (?:long|many|often|old|much)(?![\p{L}])/iu.test(plain)) return false
  const words = withoutEnd(plain).split(' ')
  return words.length <= 3
    ? !auxiliaryStart.test(plain) && !changes.test(plain)
    : whWords.test(words.slice(0, 3).join(' '))
}

/** A line above that asks for a secret to be typed. */
const ordersSecret =
  /(?<![\p{L}])(?:enter|insert|paste|type|provide|input)(?![\p{L}]).{0,60}(?<![\p{L}])(?:pin|password|passphrase|token|api key|secret)(?![\p{L}])/iu

/** `next: passwd(1) [ view (return) | skip (Ctrl-D) | quit (Ctrl-C) ]` */
const offersKeys = /\[\s[^[\]|]+\|[^[\]|]+\|[^[\]|]+\]$/u

/** `Token for registry.example.com:` */
const namesSecret = /^(?:\p{L}+ ){0,2}(?:pin|password|passphrase|token|api key|secret)(?: for \S+)?:$/iu

const changes =
  /^(?:change|reset|set|remove|delete|show|display|save|store|update|clear|revoke|generate|use|ändern|changer|cambiar)/iu
