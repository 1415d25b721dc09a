const before = String.raw`(?<![\p{L}\p{N}_])`
const after = String.raw`(?![\p{L}\p{N}_])`

/** One expression for many words: those of spaced scripts match whole, those of scripts without spaces anywhere. */
export const lexicon = (spaced: readonly string[], unspaced: readonly string[] = []): RegExp => {
  const parts = spaced.length === 0 ? [] : [`${before}(?:${spaced.join('|')})${after}`]
  return new RegExp([...parts, ...unspaced].join('|'), 'iu')
}
