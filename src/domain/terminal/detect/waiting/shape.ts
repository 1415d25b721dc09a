import { pressesKey } from './key-order.ts'
import { spinner, tellsWork, workingSign } from './working-signs.ts'

export type Shape = {
  /** How much the text before the cursor looks like a prompt. 'fair': by its words only, not by its ending. */
  strength: 'strong' | 'fair' | 'none'
  why: string
}

const none = (why: string): Shape => ({ strength: 'none', why })
const strong = (why: string): Shape => ({ strength: 'strong', why })
const fair = (why: string): Shape => ({ strength: 'fair', why })

const pager =
  /^\s*(?:-{2,}\s?\(?\p{L}[^-]{0,20}\)?\s?-{2,}|-{2,3}\s?type <ret|\(end\)|:\s*\(END\)|(?:\S+ )?lines? \d+|.*\((?:END|press h for help or q to quit)\)|.*--\s?more\s?--)/iu
const group = /[[(]((?:[^[\](){}]|\[[^[\](){}]{0,20}\]|\([^[\](){}]{0,20}\)){0,120})[\])]\s*[:?>]?$/
const choosing = /[/|,]|\bor\b|^[yYnNaq]{2,6}$/
const fallback = /^(?:[yYnN]\w{0,6}|\w[\w .@:~+='"<>-]{0,60}|)$/
const status =
  /[[(]\s*(?:running|pending|queued|waiting|started|stopped|ok|done|failed|fail|warn|warning|info|error|pass|passed|skip|skipped)\s*[\])]$/i
const asking =
  /^\W*(?:please\b|enter\b|type\b|select\b|choose\b|pick\b|input\b|provide\b|specify\b|your\b|what\b|which\b|who\b|where\b|when\b|how\b|do you\b|would you\b|are you\b|is\b|should\b|shall\b|bitte\b|veuillez\b|introduzca\b|请|輸入|输入|入力)/i
const terminator = /(?:[:?>$#»›❯➜➤▶►▸λ⟩〉》：？＞]|\?\s?\.{2,3})$/u
const shellEnd = /[$#%>❯➜λ»›→⇒➔]$/u
const symbols = /^(?:\S{0,12}\s)?[>$#%?:*&!=.@~^;+\-–]{1,4}$/u
/** A few words and a sign, as in shells and interpreters: `box :)`, `dev@box ~ @`, `[zk: localhost(CONNECTED) 0]`. */
const signed = /^(?!.*[✔✓✖✗•])(?:\S+\s){0,4}\S{0,40}[^\p{L}\p{N}\s.,;!…%"'”’*=[({/\\+\-\u2500-\u25ff]$/u
const counts = /\d+\s?(?:\/|of)\s?\d+|\d:\d\d|^\[\s*\p{L}+\s*\]$/u
const libraryQuestion = /^(?:\?|\[\?\]|❓|◆)\s+\S/u
const inParens = /^\(\S[^()]{0,30}\)(?:\s*\S{0,3})$/u

/** `Restart service? skipped:` */
const answersItself = /\?\s+(?:\p{Ll}{3,}ed|n\/a|none|not needed)\s*[:.]$/u

const longest = 600

/** Reads the text before the cursor as a prompt. */
export function shapeOf(before: string): Shape {
  // The question is at the end, so only the end of a very long line is read.
  const text = before.slice(-longest).trimEnd()
  const gap = before.length - before.trimEnd().length
  const bare = text.trim()
  if (bare === '') return none('there is nothing before the cursor')
  if (pager.test(bare) && gap <= 3) return strong('a pager shows its position')
  const tab = before.length % 8 === 0 && gap <= 8
  if (gap >= 1 && gap <= 16 && /^(?:\[\d+\] )?\w+\(\S*\)(?::\d+){0,2}[*>]$/.test(bare))
    return strong('an interpreter waits for an indented line')
  if (gap >= 1 && gap <= 24 && /^\.{3}:$/.test(bare)) return strong('a continuation prompt')
  if (gap > 3 && !tab && !(gap <= (/\s/.test(bare) ? 8 : 16) && /^\p{L}[\p{L} ]{0,20}:$/u.test(bare)))
    return none('the cursor is away from the text')
  if (gap === 1 && /^\s+\|$/.test(text)) return strong('a continuation prompt')
  const work = bare === '-' || (gap === 1 && /^\.{3,4}$/.test(bare)) ? null : workingSign(bare)
  if (
    work !== null &&
    (spinner.test(bare) || !/\?(?:\s*[[(].*[\])])?\s*:?$|\b(?:password|passphrase)\b.*:$/i.test(bare))
  )
    return none(`${work} is before the cursor`)
  if (gap === 0 && /^\[\d+\/\d+\]/.test(bare)) return none('a counter is before the cursor')
  if (gap >= 1 && /^(?:\.{2,4}|[\w ]*\.\.\.?>|-+>|=+>)$/.test(bare)) return strong('a continuation prompt')
  if (libraryQuestion.test(bare) && (gap >= 1 || /\s[›‣…]\s/u.test(bare)))
    return strong('a question drawn by a prompt library')
  if (/\bto (?:stop|interrupt|abort|cancel)\b.*:\s*\d+$/iu.test(bare)) return none('it counts down')
  if (tellsWork(bare) && !pressesKey(bare)) return none('the line says what it is doing')
  if (pressesKey(bare)) return strong('it asks for a key')
  if (gap >= 1 && /[[(]\p{L}[\])]\p{L}+\s?\/\s?[[(]\p{L}[\])]\p{L}+$/u.test(bare))
    return strong('the answers are at the end')
  if (/^\W*press \S{1,3} (?:to|for) .+ or \S{1,3} (?:to|for) \S/i.test(bare)) return strong('it asks for keys')
  if (/^\W*press ['"<[(]?\w['">\])]? to (?:confirm|continue|accept|proceed)/i.test(bare))
    return strong('it asks for a key')
  if (gap >= 1 && /\(\?\s?(?:for|-|=)\s?help\)$/iu.test(bare)) return strong('it says how to get help')
  if (gap >= 1 && listsCommands(bare)) return strong('a list of commands')
  if (inParens.test(bare) && gap >= 1) return strong("a name in brackets, like a debugger's prompt")
  if (/\?\s+(?:\p{Ll}{3,}ed|n\/a|none|not needed)\s*[:.]?$/u.test(bare))
    return none('the question was answered automatically')
  if (status.test(bare) && !bare.includes('?')) return none('a result is before the cursor')
  const inBrackets = group.exec(bare)?.[1]
  if (inBrackets !== undefined && choosing.test(inBrackets)) return strong('the answers are in brackets')
  if (/[?:]\s+\[?[yj]\p{L}{0,2}\]?\/\[?n\p{L}{0,3}\]?$/iu.test(bare)) return strong('the answers are at the end')
  if (/[?:]\s+\p{L}(?:\/[\p{L}?!])+$/u.test(bare)) return strong('the answers are at the end')
  if (/\d\s?%$/.test(bare)) return none('a percentage is before the cursor')
  if (/^(?:-|\p{Lu})$/u.test(bare)) return gap === 1 ? fair('a single symbol') : none('a single symbol')
  if (gap >= 1 && /^\S{1,30}(?:\||\s<|:=)$|^[\w.-]+@[^:]+:[~/]\S*$/u.test(bare))
    return strong("a symbol, like an interpreter's prompt")
  if (symbols.test(bare) && (gap >= 1 || /[>$#%?:]$/.test(bare))) return strong('only a symbol is before the cursor')
  if (terminator.test(bare) || (shellEnd.test(bare) && gap >= 1))
    return strong(`it ends like a prompt: ${bare.slice(-1)}`)
  if (gap === 0 && /^[a-z]\)$/.test(bare)) return strong("a letter and a bracket, like an interpreter's prompt")
  if (/^\d{1,3}\]$/.test(bare) && gap === 1) return strong('a debugger level')
  if (inBrackets !== undefined && /\?\s*[[(][^?]*$/.test(bare)) return strong('a question with a hint in brackets')
  if (/^[➜❯λ»]\s+\S/u.test(text) && gap >= 1) return strong('it starts like a prompt')
  if (inBrackets !== undefined && fallback.test(inBrackets) && !/\d of \d/.test(bare))
    return gap >= 1 || asking.test(bare) ? strong('a default in brackets') : fair('brackets')
  if (gap === 1 && bare.length <= 80 && signed.test(bare) && !counts.test(bare))
    return strong('a symbol is before the cursor')
  if (gap === 1 && /^(?:change|rename|move|copy|set|save|write)\b.{1,60} (?:to|as)$/i.test(bare))
    return strong('it is incomplete')
  if (gap === 1 && /^(?:\{\d+\} ok|OK)$/.test(bare)) return strong('firmware asks for a command')
  if (gap === 0 && /^\*{1,2}$/.test(bare)) return strong('only a symbol is before the cursor')
  if (gap >= 1 && /^[\d\s+*/x÷×.-]+=$/u.test(bare)) return strong('an arithmetic problem')
  if (asking.test(bare)) return gap >= 1 ? strong('it asks for something') : fair('it asks for something')
  return none('it does not end like a prompt')
}

const lettered = /(?:^|[\s/])[([]?[A-Za-z][)\]]\w+/g

/** A line of single-letter commands: `(a)bort (c)ontinue (i)nfo`. */
export const listsCommands = (line: string): boolean => [...line.matchAll(lettered)].length >= 3

const answered = /^(.*(?:\?|[\])]\s?[:?›]?))\s+(?!\.+$)(\S{1,20})$/u
/** A partly typed secret, visible or as stars. */
const hiddenTyped =
  /^(.{0,60}(?:password|passphrase|passwort|pin|token|mot de passe|contraseña)\b[^:]{0,40}:)\s+\S{1,40}$/iu
const inStars = /^(\P{N}{2,60}[:?])\s+[*•●]{1,64}$/u
/** An instruction or a field with a partly typed answer: `Enter your name: bo`. */
const fieldTyped =
  /^(\W{0,3}(?:please )?(?:(?:enter|type|choose|select|specify|your|what|which|who|where|how)\b[^:?]{0,70}|(?:\p{L}+ ){0,2}(?:name|username|user|login|e-?mail|host|port|title|subject|comment|description|address|message|answer|choice|selection|number))\s?(?:[[(][^\])]{0,40}[\])])?\s?[:?])\s+\S.{0,40}$/iu
/** A command is being typed: `sqlite> select`. */
const commandTyped = /^([a-z][\w.@:~/()[\]-]{0,30}[>#%$]|\([A-Za-z]{3,12}\))\s+\S/u
const firstWord = /^(\S+)(\s[$#])?\s+\S/u

/** `ann@host:~$ ls`, `/srv # ls`. Parsed by hand, because one regular expression would take cubic time. */
function shellLine(text: string): string | null {
  const [, word = '', sign = ''] = firstWord.exec(text) ?? []
  if (sign !== '' && isPlace(word)) return `${word}${sign}`
  return /[$#]$/u.test(word) && isPlace(word.slice(0, -1)) ? word : null
}

const isPlace = (word: string): boolean => word.startsWith('~') || word.includes('/') || word.slice(1, -1).includes('@')

/** The prompt of a line with a partly typed answer; null unless it clearly asks. */
export function halfTyped(before: string): string | null {
  const text = before.slice(-longest).trimEnd()
  if (workingSign(text) !== null || tellsWork(text) || answersItself.test(text)) return null
  const shell = shellLine(text)
  if (shell !== null) return shell
  const begun = (hiddenTyped.exec(text) ?? inStars.exec(text) ?? fieldTyped.exec(text) ?? commandTyped.exec(text))?.[1]
  if (begun !== undefined) return begun
  const asked = answered.exec(text)?.[1]
  if (asked === undefined || shapeOf(`${asked} `).strength !== 'strong') return null
  const inBrackets = group.exec(asked.replace(/\s?›$/u, ''))?.[1]
  const named = inBrackets !== undefined && (choosing.test(inBrackets) || /^\d+\s?-\s?\d+$/.test(inBrackets))
  return asked.endsWith('?') || named ? asked : null
}
