const written = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}'’]+|\d+/gu
const unspaced = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/u

/** The words of a text in lower case, numbers as 0; in scripts without spaces each pair of letters. */
export const wordsOf = (text: string): string[] =>
  [...text.toLowerCase().normalize('NFC').matchAll(written)].flatMap(([word]) => {
    if (/^\d/u.test(word)) return ['0']
    if (!unspaced.test(word) || word.length < 2) return [word]
    return Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2))
  })
