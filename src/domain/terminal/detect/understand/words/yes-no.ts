const yesWords =
  'y yes yep yeah ok okay j ja jo o oui s si sì sí sim д да t tak e evet ano 是 是的 好 好的 はい うん 예 네'.split(' ')
const noWords = 'n no nope nein non não nao nee nej н нет nie h hayır ne 否 不 不是 いいえ 아니오 아니요'.split(' ')

const yes = new Set(yesWords)
const no = new Set(noWords)

export const isYes = (word: string): boolean => yes.has(word.trim().toLowerCase())
export const isNo = (word: string): boolean => no.has(word.trim().toLowerCase())

/** One word that only agrees or only declines; a single letter may mean something else. */
export const isYesOrNoWord = (word: string): boolean => word.trim().length > 1 && (isYes(word) || isNo(word))

/** Answers that change nothing. */
export const declines = (label: string): boolean =>
  isNo(label) || decline.test(label.trim()) || isNo(label.trim().split(/[\s,.;:(]/u)[0] ?? '')

const decline =
  /^(?:no|none|never|cancel|quit|exit|abort|skip|keep|postpone|deny|reject|decline|back|stop|don['’]?t|do not|leave|nothing|reuse|ignore|disagree|nein|abbrechen|beenden|überspringen|behalten|ablehnen|non|annuler|quitter|ignorer|garder|refuser|conserver|cancelar|salir|omitir|conservar|rechazar|annulla|esci|sair|отмена|取消|退出|跳过|跳過|保留|拒绝|中止|キャンセル|終了|スキップ|中止|拒否|취소|종료|건너뛰기)(?![\p{L}])/iu
