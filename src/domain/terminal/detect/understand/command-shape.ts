import { pathWords } from './words/path.ts'
import { plainLine } from './question.ts'

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

const isMark = (text: string): boolean =>
  /^(?:[>$#%&*?:;!@.~|+❯»λ➜-]{1,4}|\d{1,3}\]|\?-|M-x|=>|->|['"`]>|\.{2,}>?|>{1,3}|(?:[\w]+)?quote>|\|:?)$/u.test(text)

/** A word and a colon that names the very tool that runs: `debugfs:`. */
const namesItself = (text: string, above: readonly string[], program: string | null): boolean => {
  const word = /^([a-z][\w.-]{1,20}):$/u.exec(text)?.[1]
  if (word === undefined) return false
  const last = plainLine(above.findLast((line) => line.trim() !== '') ?? '')
  return word === program || new RegExp(`^(?:\\S*[$#%>]\\s)?${word}(?:\\s|$)`, 'u').test(last)
}

/** A text is shown page by page. */
export const isPager = (text: string): boolean => text.length > 1 && pagers.test(text)

/** A shell, a read-eval-print loop, a debugger, a pager or an editor's command line. */
export const isCommandPrompt = (text: string, above: readonly string[], program: string | null): boolean => {
  if (/^>+$/u.test(text) && above.slice(-5).some((line) => confirms.test(line))) return false
  if (text === '' || isMark(text) || pagers.test(text) || counters.test(text) || commandWords.test(text)) return true
  if (debuggers.test(text)) return !pathWords.test(text)
  if (/^\(.*-search\)|^\(arg: /u.test(text)) return true
  if (namesItself(text, above, program)) return true
  if (!ends.test(text) || /^\[(?:[^\]]*[/\\][^\]]*|yes|no|[yn])\]\s*>+$/iu.test(text)) return false
  // Answers in angles: <y/N>, <yes|no>.
  if (/<\s*[\p{L}\d]{1,12}(?:\s*[/|,]\s*[\p{L}\d]{1,12})+\s*>$/u.test(text)) return false
  if (/[?？]\s*[>❯»]$|\d%$|^\p{L}.*\s->$/u.test(text)) return false
  return !isField(text, above)
}

/** `name>` and the like, under a line that says what to enter. */
const isField = (text: string, above: readonly string[]): boolean => {
  if (!/^[\p{L}][\p{L}\d_ -]*[>❯»]$/u.test(text)) return false
  const last = above.findLast((line) => line.trim() !== '')
  return last !== undefined && instruction.test(plainLine(last)) && !/help|quit|exit|copyright|license/iu.test(last)
}
