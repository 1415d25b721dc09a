import { isButton } from './button-words.ts'

export type Button = { label: string; from: number; width: number; lit: boolean }

const framed =
  /\((?:esc|enter|f\d{1,2}|tab)\) (\p{L}+(?: \p{L}+){0,3})|\[?<\s*([^\s<>|][^<>|]{0,22}?)\s*>\]?|\[\s+([^\s[\]][^[\]]{0,22}?)\s+\]/giu
/** `Enter [y]es or [n]o` */
const lettered = /(?<!\S)([[(]\p{L}[\])]\p{L}+)(?!\S)/gu
/** `<Y for yes, N for no>` */
const told =
  /^[<[(\s]*(?:press )?([yn])\s?(?:for|=|:)\s?(\p{L}+)[^<>[\]]*?(?<![\p{L}])([yn])\s?(?:for|=|:)\s?(\p{L}+)/iu
const bare = /\S+(?: \S+)*/gu

/**
 * The buttons of a row that holds nothing else. Words without a frame count where one of them is lit.
 * `lit`: whether columns stand out; `cursor`: its column in the row, -1 where it is elsewhere.
 */
export function buttonsOf(text: string, lit: (from: number, to: number) => boolean, cursor: number): Button[] {
  const found = [...text.matchAll(framed)]
  const take = (matches: readonly RegExpExecArray[]): Button[] =>
    matches.map((match) => {
      const { 0: whole, 1: named, 2: angle, 3: square, index: from } = match
      const label = (named ?? angle ?? square ?? whole).replace(/^[[(](\p{L})[\])](?=\p{L})/u, '$1')
      return { label, from, width: whole.length, lit: lit(from, from + whole.length) }
    })
  const words = told.exec(text.trim())
  if (words !== null) return [2, 4].map((at) => ({ label: words[at] ?? '', from: 0, width: 0, lit: false }))
  const keys = [...text.matchAll(lettered)]
  if (keys.length >= 2) return take(keys)
  if (found.length > 0) return text.replaceAll(framed, '').trim() === '' ? take(found) : []
  if (/^(?:ok|okay|continue)$/iu.test(text.trim())) return take([...text.matchAll(bare)])
  const plain = take([...text.matchAll(bare)])
  const apart = plain.length >= 2 && plain.every(({ label }) => label.length <= 24) && /\S {2,}\S/.test(text)
  const known = plain.filter(({ label }) => isButton(label))
  if (apart && known.length >= 2 && known.length >= plain.length - 1 && plain.length <= 4) return plain
  const chosen = plain.filter((word) => word.lit || (cursor >= word.from && cursor < word.from + word.width))
  return apart && chosen.length === 1 && plain.length <= 5 ? plain : []
}
