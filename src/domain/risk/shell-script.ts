/** One simple command of a script: its words as a shell reads them, and its redirections. */
export type ShellPart = {
  readonly words: readonly string[]
  /** Files it writes or reads by redirection. */
  readonly writes: readonly string[]
  readonly reads: readonly string[]
  /** The commands before it in its pipeline. */
  readonly after: readonly ShellPart[]
  /** Commands in its substitutions: `$(…)`, backticks, `<(…)`. */
  readonly inner: readonly ShellPart[]
  /** Its input is a text in the script (here-document or here-string). */
  readonly fed: boolean
}

const longest = 32_768
const mostParts = 400
const deepest = 8

class Unreadable extends Error {}

/** Every simple command of a script, including those in substitutions; null if it can't be parsed. */
export function readScript(script: string): ShellPart[] | null {
  if (script.length > longest || script.includes('\0')) return null
  try {
    return new ScriptReader(script, 0, { left: mostParts }).all()
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

type DraftPart = { words: string[]; writes: string[]; reads: string[]; inner: ShellPart[]; fed: boolean }
const blank = (): DraftPart => ({ words: [], writes: [], reads: [], inner: [], fed: false })

class ScriptReader {
  private at = 0
  private readonly parts: ShellPart[] = []
  private pipeline: ShellPart[] = []
  private draft = blank()
  private word: string | null = null
  private target: 'writes' | 'reads' | 'here' | 'string' | null = null
  private here: string[] = []
  private readonly text: string
  private readonly depth: number
  private readonly budget: { left: number }

  constructor(text: string, depth: number, budget: { left: number }) {
    if (depth > deepest) throw new Unreadable()
    this.text = text
    this.depth = depth
    this.budget = budget
  }

  all(): ShellPart[] {
    while (this.at < this.text.length) this.step()
    this.endPart(false)
    // A here-document without its text.
    if (this.here.length > 0) throw new Unreadable()
    return this.parts
  }

  private step(): void {
    const char = this.text[this.at] ?? ''
    switch (char) {
      case ' ':
      case '\t':
      case '\r':
        this.at += 1
        return this.endWord()
      case '\n':
        this.at += 1
        this.endPart(false)
        return this.skipHere()
      case '#':
        if (this.word !== null) return this.add(char)
        this.at = this.find('\n', this.at) ?? this.text.length
        return
      case ';':
      case '(':
      case ')':
        this.at += 1
        return this.endPart(false)
      case '&':
        return this.ampersand()
      case '|': {
        const isPipe = this.text[this.at + 1] !== '|'
        this.at += isPipe && this.text[this.at + 1] !== '&' ? 1 : 2
        return this.endPart(isPipe)
      }
      case '<':
      case '>':
        return this.redirection(char)
      default:
        return this.piece(char)
    }
  }

  private piece(char: string): void {
    switch (char) {
      case '\\':
        if (this.text[this.at + 1] !== '\n') this.word = (this.word ?? '') + (this.text[this.at + 1] ?? '')
        this.at += 2
        return
      case "'": {
        const end = this.need("'", this.at + 1)
        this.word = (this.word ?? '') + this.text.slice(this.at + 1, end)
        this.at = end + 1
        return
      }
      case '"':
        return this.quoted()
      case '`':
        return this.backticks()
      case '$':
        return this.dollar()
      default:
        return this.add(char)
    }
  }

  private add(char: string): void {
    this.word = (this.word ?? '') + char
    this.at += 1
  }

  private find(what: string, from: number): number | null {
    const found = this.text.indexOf(what, from)
    return found < 0 ? null : found
  }

  private need(what: string, from: number): number {
    const found = this.find(what, from)
    if (found === null) throw new Unreadable()
    return found
  }

  private quoted(): void {
    this.word ??= ''
    this.at += 1
    for (;;) {
      const char = this.text[this.at]
      if (char === undefined) throw new Unreadable()
      if (char === '"') {
        this.at += 1
        return
      }
      if (char === '\\') {
        this.word += this.text[this.at + 1] ?? ''
        this.at += 2
      } else if (char === '`') this.backticks()
      else if (char === '$') this.dollar()
      else this.add(char)
    }
  }

  private backticks(): void {
    let end = this.at + 1
    while (end < this.text.length && this.text[end] !== '`') end += this.text[end] === '\\' ? 2 : 1
    if (end >= this.text.length) throw new Unreadable()
    this.substitute(this.text.slice(this.at + 1, end).replaceAll('\\`', '`'))
    this.at = end + 1
  }

  private dollar(): void {
    const next = this.text[this.at + 1]
    if (next === '(') {
      const end = this.closing(this.at + 2)
      this.substitute(this.text.slice(this.at + 2, end))
      this.at = end + 1
    } else if (next === '{') {
      const end = this.need('}', this.at)
      const name = this.text.slice(this.at, end + 1)
      // It may contain a command.
      if (/[`(]/.test(name)) throw new Unreadable()
      this.word = (this.word ?? '') + name
      this.at = end + 1
    } else if (next === "'") throw new Unreadable()
    else this.add('$')
  }

  /** The `)` that closes the `(` before `from`. */
  private closing(from: number): number {
    let open = 1
    for (let at = from; at < this.text.length; at += 1) {
      const char = this.text[at]
      if (char === '\\') at += 1
      else if (char === "'") at = this.need("'", at + 1)
      else if (char === '(') open += 1
      else if (char === ')') {
        open -= 1
        if (open === 0) return at
      }
    }
    throw new Unreadable()
  }

  private substitute(script: string): void {
    const inner = new ScriptReader(script, this.depth + 1, this.budget).all()
    this.draft.inner.push(...inner)
    this.parts.push(...inner)
    this.word = `${this.word ?? ''}$(…)`
  }

  private ampersand(): void {
    if (this.text[this.at + 1] === '>') {
      this.endWord()
      this.at += 1
      return this.redirection('>')
    }
    this.at += this.text[this.at + 1] === '&' ? 2 : 1
    this.endPart(false)
  }

  private redirection(char: string): void {
    // The file descriptor before a redirection is not a word.
    if (this.word !== null && /^\d+$/.test(this.word)) this.word = null
    this.endWord()
    const rest = this.text.slice(this.at, this.at + 3)
    if (rest.startsWith('<(') || rest.startsWith('>(')) {
      const end = this.closing(this.at + 2)
      this.substitute(this.text.slice(this.at + 2, end))
      this.at = end + 1
      return
    }
    if (rest === '<<<') return this.redirect(3, 'string')
    if (rest.startsWith('<<')) return this.redirect(rest === '<<-' ? 3 : 2, 'here')
    const copied = /^[<>]&(\d+|-)/.exec(this.text.slice(this.at, this.at + 12))
    if (copied) {
      this.at += copied[0].length
      return
    }
    const length = /^(>>|>\||>&|<>|<&)/.test(rest) ? 2 : 1
    this.redirect(length, char === '>' || rest.startsWith('<>') ? 'writes' : 'reads')
  }

  private redirect(length: number, target: NonNullable<ScriptReader['target']>): void {
    this.at += length
    while (this.text[this.at] === ' ' || this.text[this.at] === '\t') this.at += 1
    this.target = target
  }

  private endWord(): void {
    const { word, target } = this
    if (word === null) return
    this.word = null
    this.target = null
    if (target === null) this.draft.words.push(word)
    else if (target === 'writes' || target === 'reads') this.draft[target].push(word)
    else {
      this.draft.fed = true
      if (target === 'here') this.here.push(word)
    }
  }

  private skipHere(): void {
    for (const end of this.here.splice(0)) {
      for (;;) {
        if (this.at >= this.text.length) throw new Unreadable()
        const stop = this.find('\n', this.at) ?? this.text.length
        const line = this.text.slice(this.at, stop)
        this.at = stop + 1
        if (line.replace(/^\t+/, '') === end) break
      }
    }
  }

  private endPart(intoPipe: boolean): void {
    this.endWord()
    if (this.target !== null) throw new Unreadable()
    const { draft } = this
    this.draft = blank()
    const isNothing = draft.words.length === 0 && draft.writes.length === 0 && draft.reads.length === 0
    if (!isNothing) {
      this.budget.left -= 1
      if (this.budget.left < 0) throw new Unreadable()
      const part: ShellPart = { ...draft, after: this.pipeline }
      this.parts.push(part)
      this.pipeline = intoPipe ? [...this.pipeline, part] : []
    } else if (!intoPipe) this.pipeline = []
  }
}
