import { lexicon } from '../words/lexicon.ts'
import { verbIn } from './verbs.ts'

const future =
  /(?<![\p{L}])(?:will|would|going to|about to|requested to|want(?:s|ed)? to|to be|this (?:option|command|action|operation|step|process|script)?|can be|gets?|may|might|could|wird|werden|würde|va|vont|sera|seront|será|serán|vai|serão|verrà|verranno|se|seran|performing|marked for|будет|будут|worden|wordt|zal|zullen|zostanie|zostaną|saranno|sarà|viene|vengono|serão|será|van a|va a|vão)(?![a-zà-ÿ])|[将將会會]|ます|겠|것/iu

/** Cautions that alone say that something can be lost. */
const cautions = lexicon(
  [
    String.raw`(?:can ?not|can['’]t|could not|impossible to|never) (?:be )?(?:un(?:do|done)|recover(?:ed)?|revert(?:ed)?|restored?|reversed?)`,
    String.raw`irrevers\w+|irrevocabl\w+|irrecoverabl\w+|permanently|no undo|in production|no way back|(?:data|configuration|changes|image|firmware)\b[^.?]{0,40} (?:to|will) be written|will (?:not|no longer) be (?:accessible|available|usable|recoverable|readable)|(?:take|bring|go|put)(?:s|n|es)?\b[^.?]{0,40}\boff-?line|(?:can ?not|must not|should not|do not) (?:be )?interrupt(?:ed)?|data loss|lose data|all data|unsaved|destructive|danger(?:ous)?!?|harmful|not recommended|at your own risk|if this is not what you|(?:may|will|can|could) (?:disrupt|interrupt|disconnect|lock you out)|without (?:a )?backup|(?:is|are) permanent|for ever|forever|brick|unbootable|unusable|sensitive changes|schema changes|for replacement|stop working|may not boot|inaccessible|no write since|not (?:been |yet )*written`,
    String.raw`(?:will be|is|are|gets?|be) (?:lost|gone|wiped|REMOVED)|only be done once|disappears?|not be kept|-> gone|thrown out|(?:will|files?|data|it|they|everything|backups?) go(?:es)? away|left behind|last chance|make a backup|back ?up (?:your|the|all|any|important) (?:\w+ ){0,2}(?:first|before)|(?:will|may|can|logs|files|data) go(?:es)? (?:down|away|offline)|(?:entire|whole) (?:disk|drive|device)|wipes \w+ data|voids|rebalanced|re-?appl(?:y|ies)`,
    String.raw`data (?:on [^.]{1,40} )?(?:will|may|can|could) be (?:modified|changed|altered|affected|damaged|corrupted)`,
    String.raw`nicht (?:mehr )?(?:rückgängig|wiederherstellbar|umkehrbar)|kann nicht rückgängig|unwiderruflich|unwiederbringlich|datenverlust|alle daten|ungespeicherte?`,
    String.raw`irréversible|définitivement|perte de données|toutes les données|non enregistré\w*|(?:ne peut|ne pourra|impossible)[^.]{0,20} (?:être )?(?:annul|récup)\p{L}*|irrécupérable\p{L}*`,
    String.raw`irreversible|permanentemente|pérdida de datos|todos los datos|no se p(?:uede|odrá)\p{L}* (?:deshacer|recuperar|revertir)|sin guardar`,
    String.raw`irreversível|perda de dados|todos os dados|irreversibile|perdita di dati|tutti i dati|необратим\p{L}*|безвозвратно|потер\p{L}+ данных|нельзя (?:будет )?(?:отменить|восстановить)|все данные|não p(?:ode|oderá) ser (?:desfeit|recuperad|revertid)\p{L}*|non (?:può|possono|potrà) (?:più )?essere (?:annullat|recuperat|ripristinat)\p{L}*|definitivamente|permanentemente|onomkeerbaar|onherroepelijk|(?:kan niet|niet meer) ongedaan|gegevensverlies|alle gegevens|nieodwracaln\p{L}*|nie można (?:tego )?cofn\p{L}*|utrat\p{L}+ danych|wszystkie dane|niezapisan\p{L}*|несохран[её]нн\p{L}*|niet[- ]opgeslagen|non salvat\p{L}*|não (?:salv|guardad|gravad)\p{L}*`,
  ],
  [
    '无法撤销|不可撤销|无法还原|不可逆|数据丢失|資料遺失|没有保存|不可恢复|无法恢复|無法復原|永久|所有数据|所有資料|(?<!没有)未保存',
    '元に戻せ|取り消せ|復元でき|完全に|すべてのデータ|全データ|未保存|保存されていな|データが失われ',
    '되돌릴 수 없|복구할 수 없|영구|모든 데이터',
  ],
)

/** Something already exists and would be overwritten. */
const inTheWay =
  /(?<!(?:may|can|could|might) )(?:contains?|has) (?:an? |the )?(?:existing |valid )?[\w./ `'"‘’-]{0,30}?(?:file ?system|partition table|signature|superblock|luks header|data)|appears to (?:contain|be)|looks like (?:an? )?(?:ext\d|xfs|btrfs|ntfs|v?fat\d*|luks|swap|zfs|raid)|(?:entire|whole) (?:device|disk|drive)|found an? [\w/ -]{1,30}?partition table|signature detected|(?:is|are) (?:apparently )?in use by|(?:partition|device|disk|volume|filesystem|\/dev\/\S+)[^.]{0,40} (?:is|are) (?:being used|(?:currently )?mounted|in use)|(?:target|destination|directory|folder|disk|drive|device|volume|bucket)[^.]{0,60} (?:is )?not empty|already exists?|existiert bereits|existe déjà|ya existe|já existe|esiste già|уже существу\p{L}*|bestaat al|już istnieje|esistono già|ya existen|já existem|existent déjà|existieren bereits|已存在|已经存在|既に存在|すでに存在|이미 존재/iu

/** A locally changed file would be replaced. */
const locallyChanged =
  /locally (?:modified|changed|created)|modified (?:\(by you|since)|modified configuration|local (?:changes|modifications)|(?:changed|modified) (?:on disk|by another|since reading|externally|outside)|(?:differs?|diverged) from (?:the |your |what )?\w+|uncommitted changes|(?:file|buffer|document)\b.{0,40} (?:has changed|was changed|changed) (?:and|in|on)|unmerged|lokal (?:ge|ver)ändert|modifié localement|modificado localmente|本地修改|ローカル.{0,6}変更/iu

/** Counts: "2 to remove", "3 to destroy". A count of 0 is harmless. */
const tally = /(?<![\d.])[1-9]\d* (?:\w+ )?to (?:be )?(?:remove|destroy|delete|replace)d?(?![\p{L}])/iu

/** Headings of lists of things to be removed. */
const heading =
  /^(?:\W{0,4})(?:the following .{0,80}(?:remov|delet|uninstall(?!ed)|destroy|eras|overwrit|replac|drop|los[te])\w*|(?:remov|delet|uninstall|eras|purg|destroy|downgrad|obsolet|revert|overwrit|discard|drop|terminat|wip|clear)(?:e|es|p?ing)(?: \d+ \w+)?\b[^.]{0,80}(?::|\.?$)|would (?:remove|delete|overwrite)|(?:select|choose|pick|mark|which)\b[^.:]{0,60} (?:to|be) (?:delet|remov|eras|wip|destroy|kill|purg|overwrit|format|uninstall|drop)\w*|files? to (?:delete|remove|overwrite))/iu

/** Something is still in use. */
const stillUsed = /(?:is|are) still (?:attached|mounted|connected|in use|open|referenced|used|active)(?![\p{L}])/iu

/** A side effect: `Updating it destroys what is there.` */
const does =
  /\p{L} (?:destroys|deletes|erases|overwrites|wipes|kills|drops|purges|discards) (?:the |all |any |every )?(?:existing |old |current )?\p{L}/iu

const past = /(?:has|have|had|was|were) (?:been )?(?:already )?\w+ed(?![\p{L}])/iu

export const isCaution = (text: string): boolean => cautions.test(text)

export const isHeading = (line: string): boolean => heading.test(line) || tally.test(line)

export const isLocallyChanged = (line: string): boolean => locallyChanged.test(line)

/** `You may want to downgrade the version of node`: advice for the reader, not an announcement. */
const advice = /(?<![\p{L}])you (?:may|might|could) (?:want|wish|like|prefer) to(?: \p{L}+)? $/iu

/** Whether a line above a question says that continuing does harm. */
export const threatens = (line: string, loose: boolean): boolean => {
  // Deprecation notices talk about removal from a language or library.
  if (/DeprecationWarning|(?:is|are) deprecated/u.test(line)) return false
  if (
    /(?<![\d.])0 (?:to (?:remove|destroy|delete)|werden entfernt|zu entfernen|à enlever|para eliminar|da rimuovere|a remover)/iu.test(
      line,
    ) &&
    !tally.test(line)
  )
    return false
  if (cautions.test(line) || tally.test(line) || heading.test(line)) return true
  if (locallyChanged.test(line) || inTheWay.test(line)) return true
  if (loose && (stillUsed.test(line) || does.test(line))) return true
  const verb = verbIn(line)
  if (verb === null) return false
  const head = line.slice(0, verb.from)
  if (advice.test(head)) return false
  if (/(?<![\p{L}])(?:not|no|never|nothing|without|nicht|keine?|ne|sin|no se)(?![\p{L}])[^.]{0,24}$/iu.test(head))
    return false
  return (
    future.test(head) ||
    // In these languages the verb comes before the word that marks the future.
    (/[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/u.test(line) && future.test(line)) ||
    (loose &&
      !past.test(line) &&
      /warn|attention|achtung|caution|important|danger|警告|注意|⚠|^\W*[!?]|[!?]$/iu.test(line))
  )
}
