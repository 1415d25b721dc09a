// A word of one script ends where another begins: をkillしますか.
const letters = String.raw`\w\u00c0-\u052f\u1e00-\u1fff`
const before = String.raw`(?<![${letters}])`
const after = String.raw`(?![${letters}])`

/** One expression for many words: those of spaced scripts match whole, those of scripts without spaces anywhere. */
export const lexicon = (spaced: readonly string[], unspaced: readonly string[] = []): RegExp => {
  const parts = spaced.length === 0 ? [] : [`${before}(?:${spaced.join('|')})${after}`]
  return new RegExp([...parts, ...unspaced].join('|'), 'iu')
}
