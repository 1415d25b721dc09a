import { commandOn } from './own-lines.ts'
import { plainLine } from './question.ts'
import { fieldStart, pressKey } from './words/ask.ts'
import { secretWords } from './words/secret.ts'
import { pathWords } from './words/path.ts'

const pagers =
  /^:$|\(END\)$|--\s?more\s?--|^[([]?more[)\]>]?$|^--[^-\s].*--$|^-{3,}\(?\p{L}{2,12}\)?-{3,}$|lines \d+(?:-\d+)?|manual page .* line|press h for help|\(press .* to quit\)|type <ret(?:urn)?> for more|press (?:ret|space|q)\b.* (?:for more|to quit)|^\(?(?:q|space) (?:to quit|for more)/iu

const debuggers = /^\((?!.*[-_]file)%?[A-Za-z][\w .]*\)$/u
const counters =
  /^(?:In|Out|ghci|iex)\s?\[?\(?\d+[\])]:?\s*[:>]?$|^[a-z][\w.-]*\[\d+\](?::=)?$|^[a-z][\w.-]* \d+ ?[-=]?>$|^\d+[?:]$|^\[[\p{L}-]+ (?:\d+|\p{L}+)\]:$|^[a-z]{1,4}\d+ :$|^\([A-Z]:\$[\da-f]+\)$|^(?:call|exit|redo|fail): \(\d+\) .*\?$|^[a-z]\w* = \S+ \?$/iu

/** Asks for a command in words: "Command (m for help):". */
const commandWords =
  /^(?:enter (?:a |the |your )?|\p{L}+ (?=command \([^)]*help)|(?!build|install|start|test|run|dev|shell|custom|output|default)\p{L}+ (?=command:))?(?:commands?|cmd|boot|befehl|commande|orden|comando|команда|命令|指令|コマンド|명령어?|options? and arguments)(?:\s*[(（].*[)）])?\s*(?:name)?\s*[:：>?]?$/iu

/** Lines that ask for a value: `name>` below one of them is a field, not a shell. */
const instruction =
  /^(?:please )?(?:enter|type|choose|select|pick|give|provide|input|specify|option|set|what|which|where|who|how|geben|wählen|entrez|saisissez|choisissez|introduzca|ingrese|escriba|elija|seleccione|请输入|輸入|选择|入力|選択)(?![\p{L}])|[?？]$|value\.?$|below\.?(?: .*)?$|^e\.?g\./iu

/** Prompt endings of shells and read-eval-print loops. */
const ends = /[$#%>❯➜➤►▸⮞»λ⟩〉ᐅ▶→⇒➔]$/u

/** Only signs, a single capital, or a form that only interpreters use: `Coq <`, `box :)`, `dev@box ~ @`. */
const isMark = (text: string): boolean =>
  /^(?:[^\p{L}\p{N}\s]{1,4}|\p{Lu}|\d{1,3}\]|M-x|(?:\[\d+\] )?\w+\(\S*\)(?::\d+){0,2}[*>]|(?:[\w]+)?quote>)$/u.test(
    text,
  ) || /^\S{1,30}\s?<$|\s[:;]-?\)$|^[^\s?]*[/~]\?$|^[\w.-]+@[\w.-]+.*[^\p{L}\p{N}\s:?.)\]]$/u.test(text)

/** Whose turn it is: `black(1):`, `White (1) :`. */
const turn = /^(?:White|Black)\s?\(\d+\):$|^(?!choice|option|select)\p{Ll}[\w.-]*\(\d+\):$|^\p{L}+ \(\d+\) :$/u
const helped = /^[\w.-]{1,20} \([^()]*(?:for|=) ?help[^()]*\)$/iu
/** A state in brackets: `[zk: localhost:2181(CONNECTED) 0]`. */
const isState = (text: string): boolean =>
  /^\[\p{L}[^\]]*\]$/u.test(text) && !pressKey.test(text) && !/^\[(?:yes|no|[yn])\]$/iu.test(text)

/** Names the running tool, as it was started or in its banner: `debugfs:`, `sage:`, `ngspice 1 ->`. */
const namesItself = (text: string, above: readonly string[], program: string | null): boolean => {
  const word = /^(\p{L}[\w.-]{1,20})(?![\w.-])(?::|[^?]{0,30}[>#$%]| \[\d+\])$/u.exec(text)?.[1]?.toLowerCase()
  if (word === undefined || /^(?:name|user|host|login|password|type|file|path)$/u.test(word)) return false
  if (word === program) return true
  const named = word.replaceAll('.', String.raw`\.`)
  const started = new RegExp(`^(?:\\S*/)?${named}(?:\\s|$)`, 'iu')
  const greets = new RegExp(`(?<![\\p{L}])${named}[\\p{L}]*[ ,]+(?:version |v|release )?\\d+\\.`, 'iu')
  const lines = above.map(plainLine).filter((line) => line !== '')
  if (started.test(lines.at(-1) ?? '') && commandOn(lines.at(-1) ?? '') === null) return true
  const typed = lines
    .filter((line) => /[$#%❯➜]\s/u.test(line))
    // Some shells show the directory before the command.
    .map((line) => (commandOn(line) ?? '').replace(line.startsWith('➜') ? /^\S+ (?=\S)/u : '', ''))
  return typed.some((line) => started.test(line)) || lines.some((line) => greets.test(line))
}

/** Follows a banner with a version or copyright: it takes commands. */
const isGreeted = (text: string, above: readonly string[]): boolean => {
  if (!/^\p{L}[\w.-]{2,20}:$/u.test(text) || fieldStart.test(text) || secretWords.test(text)) return false
  const lines = above.map(plainLine).filter((line) => line !== '')
  const banner = lines.findIndex((line) => /copyright|version \d|\(c\) \d{4}/iu.test(line))
  return banner !== -1 && lines.slice(0, banner).every((line) => commandOn(line) !== null || !/:\s/u.test(line))
}

const masked = (text: string): string => text.replaceAll(/\d+/gu, '0')

/** The same prompt is above with something typed after it: a repeated prompt that names no field takes commands. */
const isAskedAgain = (text: string, above: readonly string[]): boolean =>
  text.length >= 2 &&
  !/[:：？\]]$/u.test(text) &&
  // `ampl?` continues what was begun at `ampl:`.
  above.some((line) =>
    text.endsWith('?')
      ? /^\w+\?$/u.test(text) && goesOnWith(text.slice(0, -1), plainLine(line))
      : masked(plainLine(line)).startsWith(`${masked(text)} `),
  )

/** `ampl: …`, `foreach? …`, or the command that began it. */
const goesOnWith = (word: string, line: string): boolean =>
  line.startsWith(`${word}: `) || line.startsWith(`${word}? `) || commandOn(line)?.startsWith(`${word} `) === true

/** Output is shown page by page. */
export const isPager = (text: string): boolean => text.length > 1 && pagers.test(text)

/** A shell, a read-eval-print loop, a debugger, a pager or an editor's command line. */
export const isCommandPrompt = (text: string, above: readonly string[], program: string | null): boolean => {
  if (text === '' || isMark(text) || pagers.test(text) || counters.test(text) || commandWords.test(text)) return true
  if (debuggers.test(text))
    return !pathWords.test(text) && !/^\((?:to|from|files?|username|host|port|remote|local)\)$/iu.test(text)
  if (/^(?:\{\d+\} ok|OK)$/u.test(text)) return true
  if (/^\(.*-search\)|^\(arg: /u.test(text)) return true
  if (
    helped.test(text) ||
    turn.test(text) ||
    isState(text) ||
    isGreeted(text, above) ||
    namesItself(text, above, program)
  )
    return true
  if (isAskedAgain(text, above) && !isField(text, above)) return true
  if (!ends.test(text) || /^\[(?:[^\]]*[/\\][^\]]*|yes|no|[yn])\]\s*>+$/iu.test(text)) return false
  // A sentence with a default: `or use it as it is [/opt/x] >>`.
  if (/^\p{L}+ \p{L}+ .*\[[^\][]+\]\s*>+$/u.test(text)) return false
  if (/^\p{Lu}[\p{L} ]+: \S+ >$|^\p{L}+ \p{L}+ .*:\s*>$/u.test(text)) return false
  // Answers in angle brackets: <y/N>, <yes|no>.
  if (/<\s*[\p{L}\d]{1,12}(?:\s*[/|,]\s*[\p{L}\d]{1,12})+\s*>$/u.test(text)) return false
  if (/[?？]\s*[>❯»]$|\d%$|^\p{L}.*\s->$/u.test(text)) return false
  return !isField(text, above)
}

/** `name>` and the like, under a line that says what to enter. */
const isField = (text: string, above: readonly string[]): boolean => {
  if (!/^[\p{L}][\p{L}\d_ -]*(?:[>❯»]|>>)$/u.test(text)) return false
  if (/^\p{Lu}\p{Ll}/u.test(text) && (fieldStart.test(text) || /\sname\s?>$/iu.test(text))) return true
  const last = above.findLast((line) => line.trim() !== '')
  // One field after another: `text> buy milk`, then `priority>`.
  const other = /^(\p{L}[\p{L} ]*)>\s\S/u.exec(plainLine(above.at(-1) ?? ''))?.[1]
  const fields = other !== undefined && /^\p{L}[\p{L} ]*>$/u.test(text) && /\p{Ll}/u.test(text)
  if (fields && !above.some((line) => plainLine(line).startsWith(text))) return true
  if (/^(?:enter|type|input|your)(?![\p{L}])(?!.*(?:command|query|expression))/iu.test(text)) return true
  return (
    last !== undefined &&
    instruction.test(plainLine(last)) &&
    !/help|quit|exit|copyright|license|statement|quer(?:y|ies)(?![\p{L}])|expression/iu.test(last)
  )
}
