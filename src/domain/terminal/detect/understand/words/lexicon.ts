// A word ends where another script begins: をkillしますか.
const letters = String.raw`\w\u00c0-\u052f\u1e00-\u1fff`
const before = String.raw`(?<![${letters}])`
const after = String.raw`(?![${letters}])`
/** Skips scripts without spaces at once: trying every word at each of their letters would take quadratic time. */
const begins = String.raw`(?=[\0-\u2fff])`

export type Lexicon = Pick<RegExp, 'test' | 'exec'>

/**
 * One regular expression for many words: whole words in scripts with spaces, anywhere in scripts without. Compiled on
 * first use, because compiling is slow and a starting server needs none of them.
 */
export const lexicon = (spaced: readonly string[], unspaced: readonly string[] = []): Lexicon => {
  let made: RegExp | undefined
  const words = (): RegExp => {
    const parts = spaced.length === 0 ? [] : [`${before}${begins}(?:${spaced.join('|')})${after}`]
    return (made ??= new RegExp([...parts, ...unspaced].join('|'), 'iu'))
  }
  return { test: (text) => words().test(text), exec: (text) => words().exec(text) }
}
