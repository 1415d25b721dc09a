/**
 * What words mean, whatever the program: stems, which begin a word, in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and
 * Russian, then Chinese, Japanese and Korean, which stand anywhere. A word after `=` is whole.
 */
const stems = {
  destroys: `delet destr destroy eras wip =wipe shred purg obliterat annihilat expung scrub zap nuke =rid dispos trash discard drop
    zeroe =zero zeroes blank fossil shred
    lösch vernicht zerstör leer geleert tilg supprim effac détrui vid elimin borr destru elimin cancell svuot apag exclu destru verwijder wis usun kasow
    удал уничтож стира очист
    删除 刪除 销毁 清除 清空 抹 格式化 削除 消去 消し 破棄 삭제 제거`,
  loses: `=lose =loses =losing =lost =gone forget vanish disappear unrecover irrecover irrevers unreadable unmountable inaccessib unreachable unusab
    corrupt destroy orphan fossil =last =forever permanent never irrevoc
    verlier verlor verloren unwiederbringlich unwiderruflich dahin perdr perdu définitiv irrévers perder perdid pierd irrevers sparir sparisc perd pers scompar
    definitiv irão embora zgub utra потер безвозврат необрат
    丢失 遗失 永久 无法恢复 不可恢复 失われ 戻せ 消え 영구`,
  replaces: `overwrit replac rewrit clobber supersed =top =place overrid substitut revert reset restor rollback roll- =instead takeover
    überschreib ersetz écras remplac réécri sobrescri reempla sustitu sovrascri sostitu substitu overschrijv vervang nadpis zastąp перезапис замен
    覆盖 替换 上書き 置き換え 덮어`,
  removes: `remov uninstall deinstall unregister detach disconnect undeploy teardown unpublish deprovision decommission evict withdraw retract
    entfern deinstall désinstall retir enlev desinstal quit baja rimuov disinstall remov verwijder usun удал снять
    卸载 移除 アンインストール 取り除 제거`,
  stops: `stop halt shutdown reboot restart power terminat kill cancel abort suspend hibernat evict drain disabl deactivat fence fenced offline outage
    interrupt expire revok lock =lockout =down
    stopp anhalt abschalt beend herunterfahr neustart arrêt redémarr éteind deten apag reinici ferm spegn riavvi deslig parar encerr zatrzym wyłącz
    останов выключ перезагруз
    停止 关机 重启 终止 再起動 停止 終了 중지 종료`,
  forces: `forc force =force anyway nevertheless regardless bypass ignor skip overrul =steal preempt trotzdem dennoch forcé forzar forzare mesmo wymus принуд
    强制 強制 무시`,
  exposes: `public publicly world everyone everybody anyone internet anonymous 0.0.0.0 reachable unencrypted plaintext cleartext reveal expos leak visible
    öffentlich publiquement público pubblic publiek публичн
    公开 公開 공개`,
  pays: `=pay =pays =paid payment charg billed billing purchas =buy =buys =bought transfer fund satoshi ether lamport =wei invoice invoic =fee =fees cost credit
    broadcast signing =sign spend withdraw
    zahl bezahl überweis kauf kosten achet virement montant paga compra transfer bonific acquist koop betaal płat плат оплат перевод
    支付 付款 购买 转账 支払 購入 送金 결제 구매`,
  publishes: `publish releas announc registry broadcast recipient newsletter subscriber deploy production =prod =live upload promot rollout
    veröffentlich publier publicar pubblic publicer opublikow опубликов
    发布 公開 配信 게시`,
  grants: `grant admin superus =root =sudo owner ownership deleg privileg permission =rights =role escalat elevat entitl impersonat =wheel setuid
    berechtig rechte administr droits permis conced otorg permess diritti uprawn прав
    权限 授权 管理员 権限 許可 管理者 권한`,
  trusts: `trust untrust genuine authentic fingerprint certificat authorit vouch verif unverif signatur unsigned identit =ca hostkey
    vertrau zertifikat confiance empreinte confian certificado fiduci attendib vertrouw zaufa довер подпис отпечат
    信任 证书 指纹 信頼 証明書 指紋 신뢰`,
  changesSecret: `=new =current =old =retype =change =reset neues neue nouveau nueva nuova nova nowe новый 新 새`,
  data: `data =disk =disks drive partition volume filesystem database =table =tables bucket snapshot backup archive commit branch history =files =file
    repository cluster =stack instance account namespace topic stream message daten datei datenbank données fichier datos ficher dati dados arquivos dane данные
    数据 磁盘 文件 データ ディスク ファイル 데이터`,
  all: `=all =every =everything =entire =whole =each alle sämtliche tous toutes todos todas tutti tutte wszystk все 所有 全部 すべて 全て 모든`,
  warns: `warning caution danger attention beware careful achtung vorsicht warnung attention avertissement advertencia atención cuidado attenzione avviso
    aviso atenção uwaga внимание предупреждение 警告 注意 危险 危険 경고 주의`,
  doubts: `=sure =certain really absolutely definitely wirklich sicher vraiment sûr seguro realmente sicuro davvero certeza zeker naprawdę pewno уверены действительно
    确定 确认 本当 정말`,
  undone: `undo undone revert revers irrevers rückgängig annul deshacer annull desfaz cofn отмен 撤销 取り消 되돌`,
  exists: `exist already existiert bereits existe déjà existe esiste già bestaat istnieje существ 已存在 既に 이미`,
  installs: `install download fetch updat upgrad creat generat =add enabl configur initial import scaffold build clone
    installier aktualisier télécharg instal descarg actualiz scaric instalar baixar zainstal установ загруз 安装 下载 更新 インストール ダウンロード 설치`,
  spares: `=nothing =dry simulat pretend unchanged untouch unaffected =keep =kept preserv =safe harmless =left nichts rien nada niente niets nic ничего
    什么都不 何も`,
  shows: `=select show view list display print preview open browse see help read review inspect anzeig affich mostrar mostra pokaż показ 显示 查看 表示 보기`,
} as const

export type Meaning = keyof typeof stems

const whole = new Map<string, Meaning[]>()
const begins = new Map<string, Meaning[]>()
const anywhere: (readonly [string, Meaning])[] = []
let longest = 0

const put = (table: Map<string, Meaning[]>, word: string, meaning: Meaning): void => {
  const known = table.get(word)
  if (known === undefined) table.set(word, [meaning])
  else if (!known.includes(meaning)) known.push(meaning)
}

function read(): void {
  for (const [meaning, words] of Object.entries(stems) as [Meaning, string][])
    for (const word of words.split(/\s+/u)) {
      if (word === '') continue
      if (unspaced.test(word)) anywhere.push([word, meaning])
      else if (word.startsWith('=')) put(whole, word.slice(1), meaning)
      else {
        put(begins, word, meaning)
        longest = Math.max(longest, word.length)
      }
    }
}

const unspaced = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/u

/** What the words of a text mean; `words` are in lower case. */
export function meaningsOf(text: string, words: readonly string[]): Set<Meaning> {
  if (longest === 0) read()
  const found = new Set<Meaning>()
  const add = (meanings: readonly Meaning[] = []): void => {
    for (const meaning of meanings) found.add(meaning)
  }
  for (const word of words) {
    add(whole.get(word))
    for (let length = 3; length <= Math.min(longest, word.length); length += 1) add(begins.get(word.slice(0, length)))
  }
  if (unspaced.test(text)) for (const [word, meaning] of anywhere) if (text.includes(word)) found.add(meaning)
  return found
}
