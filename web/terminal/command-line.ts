/** A command line as words, or what is wrong with it. */
export type Split = { words: string[]; error: string | null; shell: string[] }

const operators: readonly [RegExp, string][] = [
  [/[|]/, '|'],
  [/&&|[&]/, '&'],
  [/;/, ';'],
  [/[<>]/, '< or >'],
  [/\$[\w({]|`/, '$ or `'],
  [/[*?]/, '* or ?'],
  [/^~/, '~'],
]

/**
 * Splits like a shell, with quotes and backslashes, but expands nothing. `shell` names unquoted characters that would
 * need a shell.
 */
export function splitCommand(line: string): Split {
  const words: string[] = []
  const shell = new Set<string>()
  let word: string | null = null
  let bare = ''
  let quote = ''
  const endBare = () => {
    for (const [pattern, name] of operators) if (pattern.test(bare)) shell.add(name)
    bare = ''
  }
  const endWord = () => {
    endBare()
    if (word !== null) words.push(word)
    word = null
  }
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? ''
    const next = line[at + 1]
    if (quote === "'") {
      if (char === quote) quote = ''
      else word = (word ?? '') + char
    } else if (char === '\\' && (quote === '' || /["\\$`]/.test(next ?? ''))) {
      if (next === undefined) return { words, error: 'It ends with a backslash.', shell: [...shell] }
      word = (word ?? '') + next
      at += 1
    } else if (quote === '"') {
      if (char === quote) quote = ''
      else word = (word ?? '') + char
      if (/[$`]/.test(char)) shell.add('$ or `')
    } else if (char === '"' || char === "'") {
      endBare()
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) endWord()
    else {
      word = (word ?? '') + char
      bare += char
    }
  }
  if (quote !== '') return { words, error: `A ${quote} is not closed.`, shell: [...shell] }
  endWord()
  return { words, error: null, shell: [...shell] }
}
