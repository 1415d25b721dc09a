import type { MenuEntry } from './prompt-source.ts'
import { pathWords } from './words/path.ts'
import { isNo, isYes } from './words/yes-no.ts'

const bare = (label: string): string => label.replaceAll(/^[\s<[({>❯]+|[\s>\])}]+$/gu, '').trim()

const isButton = (label: string): boolean =>
  /^(?:ok|okay|cancel|help|back|go back|continue|next|finish|done|extra|exit|close|abbrechen|hilfe|zurück|weiter|annuler|aide|retour|suivant|cancelar|ayuda|volver|aceptar|siguiente|annulla|indietro|avanti|continua|voltar|avançar|confirmar|terug|volgende|annuleren|doorgaan|wstecz|dalej|anuluj|kontynuuj|назад|вернуться|далее|продолжить|отмена|ок|tillbaka|fortsätt|avbryt|继续|取消|确定|確定|帮助|返回|下一步|キャンセル|戻る|次へ|了解|취소|확인)$/iu.test(
    label,
  )

const startsYes = (label: string): boolean => isYes(label.split(/[\s,.;:(]/u)[0] ?? '')
const startsNo = (label: string): boolean => isNo(label.split(/[\s,.;:(]/u)[0] ?? '')

/** What a drawn menu asks for; 'input' if it is only the buttons of a box. */
export const menuKind = (menu: readonly MenuEntry[], question: string): 'choice' | 'yes_no' | 'path' | 'input' => {
  const labels = menu.map((entry) => bare(entry.label)).filter((label) => label !== '')
  const others = labels.filter((label) => !isButton(label) || isYesPlain(label))
  if (others.length === 0) return 'input'
  const pair = others.length === 2 && others.some(startsYes) && others.some(startsNo)
  if (pair) return 'yes_no'
  if (labels.some((label) => /^\.{1,2}\/?$/u.test(label)) && pathWords.test(question)) return 'path'
  return 'choice'
}

const isYesPlain = (label: string): boolean => /^(?:yes|ja|oui|sí|是|はい)$/iu.test(label)

/** The entries without drawing characters. */
export const plainMenu = (menu: readonly MenuEntry[]): MenuEntry[] =>
  menu.map((entry) => ({ ...entry, label: bare(entry.label) })).filter((entry) => entry.label !== '')

/** The entries to choose from, without the buttons of their box. */
export const withoutButtons = (menu: readonly MenuEntry[]): readonly MenuEntry[] => {
  const entries = menu.filter((entry) => !isButton(entry.label))
  return entries.length >= 2 ? entries : menu
}
