import { commandOn } from './own-lines.ts'
import { plainLine } from './question.ts'
import { fieldStart, pressKey } from './words/ask.ts'
import { pathWords } from './words/path.ts'

const pagers =
  /^:$|^\(END\)$|--\s?more\s?--|^\(?more\)?$|^--[^-\s].*--$|lines \d+(?:-\d+)?|manual page .* line|press h for help|\(press .* to quit\)|type <ret(?:urn)?> for more|press (?:ret|space|q)\b.* (?:for more|to quit)/iu

const debuggers = /^\((?!.*[-_]file)%?[A-Za-z][\w .]*\)$/u
const counters = /^(?:In|Out|ghci|iex)\s?\[?\(?\d+[\])]:?\s*[:>]?$|^[a-z][\w.-]*\[\d+\]$/iu

/** Asks for a command in words: "Command (m for help):". */
const commandWords =
  /^(?:enter (?:a |the |your )?)?(?:commands?|cmd|befehl|commande|orden|comando|команда|命令|指令|コマンド|명령어?)(?:\s*[(（].*[)）])?\s*(?:name)?\s*[:：>?]?$/iu

/** Lines that ask for a value, so that `name>` below them is a field and not a shell. */
const instruction =
  /^(?:please )?(?:enter|type|choose|select|pick|give|provide|input|specify|option|set|what|which|where|who|how|geben|wählen|entrez|saisissez|choisissez|introduzca|ingrese|escriba|elija|seleccione|请输入|輸入|选择|入力|選択)(?![\p{L}])|[?？]$|value\.?$|below\.?(?: .*)?$|^e\.?g\./iu

/** Endings of shells and read-eval-print loops. */
const ends = /[$#%>❯➜»λ⟩〉ᐅ▶]$/u

/** A bare arrow under this waits for the words it names. */
const confirms =
  /to (?:proceed|continue|confirm),? (?:type|enter)|(?:type|enter) .{1,80} to (?:confirm|proceed|continue)/iu

/** Signs alone, a single capital, or what only interpreters write: `Coq <`, `box :)`, `dev@box ~ @`. */
const isMark = (text: string): boolean =>
  /^(?:[^\p{L}\p{N}\s]{1,4}|\p{Lu}|\d{1,3}\]|M-x|(?:[\w]+)?quote>)$/u.test(text) ||
  /^\S{1,30}\s?<$|\s[:;]-?\)$|^[\w.-]+@[\w.-]+.*[^\p{L}\p{N}\s:?.)\]]$/u.test(text)

/** A state in brackets: `[zk: localhost:2181(CONNECTED) 0]`. */
const isState = (text: string): boolean => /^\[[^\]]*[\s:(][^\]]*\]$/u.test(text) && !pressKey.test(text)

/** A word and a colon that names the very tool that runs, as it was started or as it greets: `debugfs:`, `sage:`. */
const namesItself = (text: string, above: readonly string[], program: string | null): boolean => {
  const word = /^([a-z][\w.-]{1,20}):$/u.exec(text)?.[1]
  if (word === undefined) return false
  if (word === program) return true
  const started = new RegExp(`^(?:\\S*/)?${word}(?:\\s|$)`, 'u')
  const greets = new RegExp(`(?<![\\p{L}])${word}[\\p{L}]*[ ,]+(?:version |v|release )?\\d+\\.`, 'iu')
  return above.map(plainLine).some((line) => started.test(commandOn(line) ?? line) || greets.test(line))
}

const masked = (text: string): string => text.replaceAll(/\d+/gu, '0')

/** It stands above with something typed behind it: what asks the same again and names nothing takes commands. */
const isAskedAgain = (text: string, above: readonly string[]): boolean =>
  text.length >= 2 &&
  !/[:：?？\]]$/u.test(text) &&
  above.some((line) => masked(plainLine(line)).startsWith(`${masked(text)} `))

/** A text is shown page by page. */
export const isPager = (text: string): boolean => text.length > 1 && pagers.test(text)

/** A shell, a read-eval-print loop, a debugger, a pager or an editor's command line. */
export const isCommandPrompt = (text: string, above: readonly string[], program: string | null): boolean => {
  if (/^>+$/u.test(text) && above.slice(-5).some((line) => confirms.test(line))) return false
  if (text === '' || isMark(text) || pagers.test(text) || counters.test(text) || commandWords.test(text)) return true
  if (debuggers.test(text)) return !pathWords.test(text)
  if (/^\(.*-search\)|^\(arg: /u.test(text)) return true
  if (isState(text) || namesItself(text, above, program)) return true
  if (isAskedAgain(text, above) && !isField(text, above)) return true
  if (!ends.test(text) || /^\[(?:[^\]]*[/\\][^\]]*|yes|no|[yn])\]\s*>+$/iu.test(text)) return false
  // Answers in angles: <y/N>, <yes|no>.
  if (/<\s*[\p{L}\d]{1,12}(?:\s*[/|,]\s*[\p{L}\d]{1,12})+\s*>$/u.test(text)) return false
  if (/[?？]\s*[>❯»]$|\d%$|^\p{L}.*\s->$/u.test(text)) return false
  return !isField(text, above)
}

/** `name>` and the like, under a line that says what to enter. */
const isField = (text: string, above: readonly string[]): boolean => {
  if (!/^[\p{L}][\p{L}\d_ -]*[>❯»]$/u.test(text)) return false
  if (/^\p{Lu}\p{Ll}/u.test(text) && fieldStart.test(text)) return true
  const last = above.findLast((line) => line.trim() !== '')
  return last !== undefined && instruction.test(plainLine(last)) && !/help|quit|exit|copyright|license/iu.test(last)
}
