// A word of one script ends where another begins: をkillしますか.
const letters = String.raw`\w\u00c0-\u052f\u1e00-\u1fff`
const before = String.raw`(?<![${letters}])`
const after = String.raw`(?![${letters}])`

export type Lexicon = Pick<RegExp, 'test' | 'exec'>

/**
 * One expression for many words: those of spaced scripts match whole, those of scripts without spaces anywhere. Made
 * when it is first asked, as that takes time, and a server that starts needs none of them.
 */
export const lexicon = (spaced: readonly string[], unspaced: readonly string[] = []): Lexicon => {
  let made: RegExp | undefined
  const words = (): RegExp => {
    const parts = spaced.length === 0 ? [] : [`${before}(?:${spaced.join('|')})${after}`]
    return (made ??= new RegExp([...parts, ...unspaced].join('|'), 'iu'))
  }
  return { test: (text) => words().test(text), exec: (text) => words().exec(text) }
}
