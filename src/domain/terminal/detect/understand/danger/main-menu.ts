import type { Choice } from '../../../verdict.ts'
import { lexicon } from '../words/lexicon.ts'

/** Actions that make a menu a tool's main menu, in which a harmful entry is just another page. */
const makes = lexicon(
  [
    String.raw`create|add|new|edit|change|modify|configure|manage|install|update|upgrade|find|search|browse|run`,
    String.raw`erstellen|anlegen|hinzufügen|neue?[rsn]?|bearbeiten|ändern|créer|ajouter|nouve(?:au|lle)|modifier|changer|configurer`,
    String.raw`crear|añadir|agregar|nuev[oa]|editar|cambiar|modificar|configurar|criar|adicionar|nov[oa]|alterar|creare?|aggiung\p{L}*|nuov[oa]|modifica(?:re)?|configura(?:re)?`,
    String.raw`созда\p{L}*|добав\p{L}*|измен\p{L}*|настро\p{L}*`,
  ],
  ['创建|新建|添加|增加|修改|更改|配置|改', '作成|追加|変更|編集|設定', '만들|추가|변경|편집|설정'],
)
/** Versions of one thing to choose from: the choice takes effect at once. */
const compares = /(?<![\p{L}])(?:differences?|diff|merge|version|original|theirs|mine)(?![\p{L}])/iu

/** `Create / Change / Delete / Quit`: the main menu of a tool, where each entry asks again. */
export const isMainMenu = (choices: readonly Choice[], harms: (label: string) => boolean): boolean => {
  const harmful = choices.filter(({ label }) => harms(label))
  if (choices.length < 4 || harmful.some(({ selected, isDefault }) => selected || isDefault)) return false
  // A list of all commands of a tool, few of them harmful.
  if (choices.length >= 8 && harmful.length * 4 <= choices.length) return true
  return (
    choices.some(({ label }) => !harms(label) && makes.test(label)) &&
    !choices.some(({ label }) => compares.test(label)) &&
    harmful.length <= choices.length / 2
  )
}
