import { plainLine } from './question.ts'

/** The lines that belong to a question. */
export type OwnLines = {
  /** Directly above it, without a blank line between, oldest first. */
  near: readonly string[]
  /** Those and the paragraphs above them, up to the previous command or question. */
  all: readonly string[]
  /** The command typed at the shell prompt above; null if none is visible. */
  command: string | null
  /** The last visible command, even if questions were asked since; null if there is none. */
  started: string | null
  /** Authentication was requested since then. */
  authenticates: boolean
  /** The previous question with its answer; null if none is visible. */
  answered: string | null
}

const shells: readonly RegExp[] = [
  /^(?:\([^)]{1,40}\)\s*)?(?:\[)?[\w.+-]+@[\w.-]+[^$#%>❯]{0,80}[$#%>❯]\s+(\S.*)$/u,
  /^[$%❯➜»λ]\s+(\S.*)$/u,
  /^#\s+([a-z./][\w./-]*(?:\s.*)?)$/u,
  /^[\w.()-]{0,30}(?::|\s)?[~/][^\s$#%>]{0,80}\s?(?:\[\d+\])?[$#%>]\s+(\S.*)$/u,
  /^[a-z][\w.-]{0,24}(?:\[\d+\])?[>$#%]\s+(\S.*)$/u,
  /^[A-Za-z][\w.-]{0,24}(?:\([\w-]+\))?[>#]([a-z][\w-]*(?:\s.*)?)$/u,
  /^\(\w{3,12}\)\s+(\S.*)$/u,
  /^\([\w -]{1,40}\)\s?[>#]\s?(\S.*)$/u,
  /^bash-[\d.]+[$#]\s+(\S.*)$/u,
  /^PS [^>]{1,80}>\s+(\S.*)$/u,
]

/** The command typed at a shell prompt; null if the line is not one. */
export const commandOn = (line: string): string | null => {
  const text = plainLine(line)
  // A frame drawn with `#`.
  if (/^#.*\s#$/u.test(text)) return null
  for (const shell of shells) {
    const typed = shell.exec(text)?.[1]
    if (typed !== undefined) return typed
  }
  return null
}

const answeredForms: readonly RegExp[] = [
  /[?？]\s*(?:\([^()]{0,120}\)|\[[^[\]]{0,120}\]|（[^（）]{0,120}）)?\s*[:：]?\s*(?:\p{L}{1,4}|\^C|\d{1,3})$/u,
  /[\])）][?？]?\s*[:：]\s*\S.{0,40}$/u,
  /[\])]\p{L}+\s*[:：]\s*\S{1,4}$/u,
  /[\])]\s?(?:y|n|yes|no|j|ja|o|s|\d{1,3})$/iu,
  /[?？]\s*\([^()]*\)\s*:$/u,
  /^[^\s/]{1,3}(?:\/[^\s/]{1,3})+>\s\S+$/u,
  /(?:password|passphrase|kennwort|passwort|mot de passe|contraseña|密码|パスワード)[^:：]{0,60}[:：]\s*\S{0,20}$/iu,
]

/** An answered question: it and the lines above it are done. */
export const isAnswered = (line: string): boolean => {
  const text = plainLine(line)
  if (/^(?:✔|✓|◇)\s/u.test(text)) return true
  // An entry of a list: `y) Yes`.
  if (/^[\p{L}\d]{1,2}\)\s/u.test(text)) return false
  return /^\?\s.*\S\s\S/u.test(text) && !/[?:)]$/u.test(text) ? true : answeredForms.some((form) => form.test(text))
}

const blanksAllowed = 4
const linesAllowed = 26

/** A secret that was asked for, and answered invisibly or not yet. */
export const openSecret =
  /(?:password|passphrase|(?:encryption|decryption|secret|master) key|(?<![\p{L}])pin|passcode|kennwort|passwort|mot de passe|contraseña|密码|パスワード|암호|пароль)[^:：]{0,60}[:：]$/iu

const isOpen = (text: string): boolean => openSecret.test(text)
export const confirmed = /[?？:：)\]]\s*(?:y|yes|ja|oui|sí|是|はい)$/iu

/** Walks up from the question to the first unrelated line; a password asked in several steps counts as one. */
export const ownLines = (above: readonly string[], throughSecrets = false): OwnLines => {
  const all: string[] = []
  let near: string[] | null = null
  let blanks = 0
  let command: string | null = null
  let answered: string | null = null
  for (const line of above.slice(-linesAllowed).toReversed()) {
    const text = plainLine(line)
    if (text === '') {
      blanks += 1
      if (all.length > 0) near ??= all.toReversed()
      if (blanks > blanksAllowed) break
      continue
    }
    // If indented, it only quotes a command.
    command = /^\s{2,}[$%#]\s/u.test(line) ? null : commandOn(text)
    if (command !== null) break
    const goesOn = throughSecrets && (openSecret.test(text) || (confirmed.test(text) && all.every(isOpen)))
    if (isAnswered(text) && !goesOn) {
      answered = text
      break
    }
    all.push(text)
  }
  const lines = all.toReversed()
  const started =
    command ??
    above
      .toReversed()
      .map(commandOn)
      .find((each) => each !== null) ??
    null
  const authenticates = above
    .slice(-10)
    .some((line) => /(?<!factor )authentication is (?:required|needed)|authenticating for/iu.test(line))
  return { near: near ?? lines, all: lines, command, started, authenticates, answered }
}
