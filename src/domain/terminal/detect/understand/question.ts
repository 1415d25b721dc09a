const longest = 400

/** Characters that frames and rules are drawn with. */
const frame = /[\u2500-\u257f\u2580-\u259f]+/gu
/** Marks that prompt libraries put before a question. */
const decoration =
  /^(?:\s|[◆◇◈●○■□▲△▸▹►▷❯➜→›»✔✖✗✓⚠ℹ▶✨🚀❓⁉]|\p{Extended_Pictographic}|\ufe0f|\?(?=\s+\S)|\*{2,3}(?=\s)|:{2}(?=\s)|>{2,3}(?=\s\S)|\[\?\](?=\s)|\[\d{1,2}\/\d{1,2}\](?=\s\p{L})|\|\s)+/u

/** The prompt as a plain sentence: no frames, no decoration, single spaces, limited length. */
export const questionOf = (text: string): string => {
  const plain = text.slice(-longest).replace(frame, ' ').replace(/\s+/gu, ' ').trim()
  return plain.replace(decoration, '').replace(/ \\c$/u, '').trim()
}

/** A line of the screen as a plain sentence. */
export const plainLine = (line: string): string =>
  line.slice(0, longest).replace(frame, ' ').replace(/\s+/gu, ' ').trim()

const trailing = /[\s:：>?？.…!]+$/u

/** Without its closing colon, question mark or arrow. */
export const withoutEnd = (question: string): string => question.replace(trailing, '').trim()

/** Without the parts in brackets: hints, defaults and lists of keys. */
export const withoutBrackets = (question: string): string => {
  let text = question
  for (let round = 0; round < 3; round += 1)
    text = text.replace(/\([^()]*\)|\[[^[\]]*\]|（[^（）]*）|【[^【】]*】/gu, ' ')
  return text.replace(/\s+/gu, ' ').trim()
}

export const endsAsQuestion = (question: string): boolean =>
  /\p{L}[?？][\])]\s*$/u.test(question) ||
  /[?？]\s*(?:\.{2,3}|…)?\s*[:：>]?\s*$/u.test(withoutBrackets(question)) ||
  /(?:吗|嗎|ですか|ますか|까요|니까)[?？。:：]?\s*$/u.test(withoutBrackets(question))
