import { lexicon } from '../words/lexicon.ts'

/** One way of doing harm: the words for it and what it does to its object. */
export type Verb = { does: string; words: RegExp }

const verb = (does: string, spaced: readonly string[], unspaced: readonly string[] = []): Verb => ({
  does,
  words: lexicon(spaced, unspaced),
})

/** What destroys, overwrites or ends something, in the languages programs speak; the first that matches is named. */
export const verbs: readonly Verb[] = [
  verb(
    'uninstalls',
    ['un-?install(?:s|ing|ed)?', 'unmerge', 'deinstall(?:ieren|iert)?', 'désinstaller', 'desinstalar', 'disinstallare'],
    ['卸载|卸載|解除安裝', 'アンインストール'],
  ),
  verb(
    'deletes',
    [
      String.raw`m?delet(?:e|es|ing|ed|ion)|del`,
      String.raw`(?:ge)?lösch(?:en|t|e)?|löscht|gelöscht|entfern(?:en|t|e)|entfernt`,
      String.raw`supprime[rz]?|supprimée?s?|suppression|efface[rz]?|enlever|retirer`,
      String.raw`elimin(?:ar|a|e|ado|ados|ará|an)|borr(?:ar|a|e|ado|ará)|suprimir|quitar`,
      String.raw`exclu(?:ir|i|a|são)|apag(?:ar|a|ue)|remov(?:er|a)|elimina(?:re)?|cancellare|rimuovere|rimozione`,
      String.raw`удал(?:ить|яет|ены?|ения|ится)|стереть|verwijder(?:en|t)?|radera|usunąć|smazat|sil(?:mek|insin)`,
    ],
    ['删除|刪除|移除|清除|清空', '削除|消去|取り除', '삭제|제거|지우'],
  ),
  verb('removes', [
    String.raw`remov(?:e|es|ing|ed|al)`,
    'unlink',
    'rmdir',
    'tear ?down',
    'evict',
    'unregister',
    'deregister',
  ]),
  verb(
    'erases',
    [
      String.raw`eras(?:e|es|ing|ed)|wip(?:e|es|ing|ed)|shred|zero(?:es)? out|scrub|sanitize|nuke|blank(?= (?:the |this )?(?:disc|disk|media|cd|dvd))`,
      String.raw`vollständig löschen|überschreib\p{L}* mit`,
    ],
    ['擦除|抹除|抹掉', '消し去'],
  ),
  verb(
    'overwrites',
    [
      String.raw`(?:over|re)writ(?:e|es|ing|ten)|clobber|supersede`,
      String.raw`überschreib(?:en|t|e)|überschrieben`,
      String.raw`écrase[rz]?|écrasée?s?|écrasement`,
      String.raw`sobr[e]?escrib(?:ir|e|a|irá)|sobreescribir|sobrescrever|substitu(?:ir|i)r?|sovrascriv(?:ere|i)`,
      String.raw`перезаписать|заменить|overschrijven|skriva över|nadpisać|přepsat|üzerine yaz`,
    ],
    ['覆盖|覆蓋|覆写|改写', '上書き', '덮어쓰|덮어 쓰'],
  ),
  verb(
    'replaces',
    [
      String.raw`replac(?:e|es|ing|ed)`,
      String.raw`ersetz(?:en|t|e)`,
      String.raw`remplace[rz]?`,
      String.raw`reemplaz(?:ar|a|o)|sustituir|sostituire`,
    ],
    ['替换|替換|取代', '置き換え|置換', '바꾸|교체'],
  ),
  verb(
    'destroys',
    [
      String.raw`destr(?:oy|oys|oying|oyed|uction|uctive)`,
      String.raw`zerstör(?:en|t)`,
      String.raw`détrui(?:re|t)`,
      String.raw`destru(?:ir|ye)`,
      'distruggere',
      'уничтожить',
    ],
    ['销毁|銷毀|摧毁', '破棄|破壊', '파괴'],
  ),
  verb('drops', [String.raw`drop(?:s|ping|ped)?(?! ?down)`, String.raw`truncat(?:e|es|ing|ed)`]),
  verb(
    'discards',
    [
      String.raw`discard(?:s|ing|ed)?|throw(?:ing)? away|abandon|los(?:e|es|ing)|revert(?:s|ing)?|roll(?:ing)? ?back|undo all|stash drop`,
      String.raw`verwerf(?:en|t)|verworfen|verlier(?:en|t)|verloren`,
      String.raw`abandonne[rz]?|perdre|perdues?|perdu|rejeter`,
      String.raw`descart(?:ar|a|e)|perder[áa]?|perdidos?|descart(?:ar|e)|scart(?:are|a)|perdere`,
      String.raw`отменить изменения|отбро[сш]\p{L}*|потеря\p{L}*`,
    ],
    ['丢弃|丟棄|放弃|放棄|丢失|遗失', '捨て|失われ', '버리|잃'],
  ),
  verb(
    'formats',
    [
      String.raw`(?:re)?format(?:s|ting|ted)?(?= (?:the|this|that|your|all|disk|drive|partition|volume|device|card|usb|it\b|\/|[A-Z]:|['"‘“\/]))`,
      String.raw`reformat|(?:re)?formatted|formatieren|formatiert|formater|formatear|formattare|форматировать|mkfs(?:\.\w+)?|repartition`,
    ],
    ['格式化', 'フォーマット|初期化', '포맷|초기화'],
  ),
  verb(
    'kills',
    [
      String.raw`kill(?:s|ing|ed|-\w+)?|terminat(?:e|es|ing|ed)|end (?:the )?(?:task|process|session)s?|force[- ]?(?:quit|stop|close)`,
      String.raw`beenden erzwingen|abschießen|tuer|matar|terminar (?:el )?proceso|завершить процесс`,
    ],
    ['杀死|终止|終止|强制结束', '強制終了|終了させ', '강제 종료|종료하'],
  ),
  verb('purges', [
    String.raw`purg(?:e|es|ing|ed)|prun(?:e|es|ing|ed)|flush(?:es|ing)?|clean(?:s|ing)?(?: ?up)?(?! (?:install|build))|vacuum|garbage[- ]collect`,
    String.raw`bereinig(?:en|t)|purger|nettoyer|purgar|limpiar`,
  ]),
  verb(
    'resets',
    [
      String.raw`reset(?:s|ting)?|factory (?:defaults|reset|settings)|reinitiali[sz]e|re-?initiali[sz]e|reimage`,
      String.raw`zurücksetz(?:en|t)|zurückgesetzt|réinitialise[rz]?|restablecer|reiniciar de fábrica|redefinir|reimpostare|сбросить`,
    ],
    ['重置|重设|恢复出厂|初始化', 'リセット', '재설정'],
  ),
  verb(
    'clears',
    [
      String.raw`clear(?:s|ing)?|empt(?:y|ies|ying)(?= (?:the|trash|recycle|all|bin))`,
      String.raw`leeren|vider|vaciar|svuotare|очистить`,
    ],
    ['クリア'],
  ),
  verb(
    'forces',
    [
      String.raw`forc(?:e|es|ing|ibly)|override`,
      String.raw`erzwing(?:en|t)|forcer|forzar|forçar|forzare|принудительно`,
    ],
    ['强制|強制', '강제'],
  ),
  verb(
    'revokes',
    [String.raw`revok(?:e|es|ing|ed)|widerruf(?:en|t)|révoque[rz]?|revocar|отозвать`],
    ['吊销|撤销证书', '失効'],
  ),
  verb('flashes', [
    String.raw`(?:re)?flash(?:es|ing)?(?= (?:the|this|it|firmware|bios|image|device|\/|now))|burn (?:the )?image`,
  ]),
  verb('extracts over what is there:', ['extract(?= [\'"‘“])']),
  verb(
    'stops everything that runs on this machine:',
    [
      String.raw`reboot|proceed with (?:the )?(?:reload|restart)|shut ?down|power ?off|halt the|neu ?starten(?= sie den| des)|herunterfahren|redémarrer la|éteindre|apagar el|reiniciar el (?:equipo|sistema)`,
    ],
    ['重启|重新启动|关机|關機', '再起動|シャットダウン', '재부팅|시스템 종료'],
  ),
]

/** The harmful verb of a text, and where it stands. */
export const verbIn = (text: string): { does: string; from: number; to: number } | null => {
  for (const { does, words } of verbs) {
    const match = words.exec(text)
    if (match !== null) return { does, from: match.index, to: match.index + match[0].length }
  }
  return null
}

/** Commands that do harm when they run, as they would be typed. */
export const harmfulCommand =
  /(?:^|[\s;|&<`"'‘“(:])(?:sudo\s+)?(?:rm(?=\s|$|[:?])|rmdir(?=\s|:)|shred(?=\s)|dd\s+(?:if|of)=|mkfs(?:\.\w+)?(?=\s)|wipefs(?=\s)|fdisk(?=\s)|kill(?:all)?\s+-?\w|pkill\s|truncate\s+-|git\s+(?:push\s+.*(?:--force|-f\b)|reset\s+--hard|clean\s+-|checkout\s+(?:--|\.)|branch\s+-D|restore\s|stash\s+(?:drop|clear)|filter-branch)|drop\s+(?:table|database|schema|user|index|role|view)|delete\s+from|truncate\s+table|chmod\s+(?:-R|[0-7]{3,4})|chown\s+-R|mv\s|>\s*\/(?:dev|etc)\/|kubectl\s+delete|docker\s+(?:rm|rmi|system\s+prune|volume\s+rm|image\s+prune)|terraform\s+destroy|curl\s.*\|\s*(?:sudo\s+)?(?:ba|z)?sh|wget\s.*\|\s*(?:sudo\s+)?(?:ba|z)?sh|:\(\)\s?\{|del\s+\/|format\s+[A-Z]:|Remove-Item|shutdown(?=\s)|reboot(?=\s|$)|useradd\s|userdel\s|passwd(?=\s|$)|visudo)/iu

/** Words in a typed command that say its questions are about harm. */
export const harmfulWord =
  /(?:^|[\s;|&])(?:sudo\s+)?(?:rm|rmdir|shred|dd|mkfs\S*|mke2fs|wipefs|kill|killall|pkill)(?=\s|$)|(?:^|[\s_-])(?:delete|del|remove|rm|erase|uninstall|purge|prune|destroy|drop|wipe|format|reset|clean|truncate|revoke|force|overwrite|kill|terminate|teardown|luksformat|zap|nuke|unregister|rollback|restore|reimage)(?=[\s_=-]|$)/iu
