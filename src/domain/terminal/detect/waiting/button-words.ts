const button =
  /^(?:yes|no|ok|okay|cancel|continue|abort|accept|reject|decline|confirm|proceed|retry|ignore|delete|keep|save|discard|overwrite|back|next|quit|exit|allow|deny|ja|nein|abbrechen|weiter|oui|non|annuler|continuer|sí|si|cancelar|aceptar|continuar|sì|annulla|conferma|sim|não|nee|annuleren|doorgaan|tak|nie|anuluj|да|нет|отмена|是|否|取消|确定|確定|继续|はい|いいえ|キャンセル|예|아니오|취소)[.!]?$/iu

/** Whether a label is a usual button text, in many languages. */
export const isButton = (label: string): boolean => button.test(label)
