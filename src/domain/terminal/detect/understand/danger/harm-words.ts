/** Kinds of harm that have words in many languages. */
export type Harm =
  | 'uninstalls'
  | 'deletes'
  | 'removes'
  | 'overwrites'
  | 'replaces'
  | 'destroys'
  | 'discards'
  | 'detaches'
  | 'ends, stops or locks out:'
  | 'overwrites existing data:'
  | 'formats'
  | 'kills'
  | 'purges'
  | 'resets'
  | 'clears'
  | 'forces'
  | 'revokes'
  | 'stops everything running on this machine:'
  | 'downgrades'

type HarmWords = { spaced: readonly string[]; unspaced: readonly string[] }

/** Per verb: German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian; then Chinese, Japanese, Korean. */
export const harmWords: Readonly<Record<Harm, HarmWords>> = {
  uninstalls: {
    spaced: [
      String.raw`deinstall\p{L}*|désinstall\p{L}*|desinstal\p{L}*|disinstall\p{L}*|de-?[iï]nstall\p{L}*|odinstal\p{L}*|деинсталл\p{L}*`,
    ],
    unspaced: ['卸载|卸載|解除安裝', 'アンインストール', '설치 ?제거'],
  },
  deletes: {
    spaced: [
      String.raw`(?:ge)?lösch(?:en|t|e|ung)?|zu löschen|entfern(?:en|t|ung)|tilgen`,
      String.raw`supprim\p{L}*|suppression|effac\p{L}*|enlev(?:er|ez|ée?s?)|retir(?:er|ez|ée?s?)`,
      String.raw`elimin\p{L}*|borr(?:ar\p{L}*|a|e|o|en|ad[oa]s?)|suprim\p{L}*|quit(?:ar\p{L}*|e)`,
      String.raw`cancell(?:are|a|o|at[oaie]|azione|erà)|rimuov\p{L}*|rimoss[oaie]|rimozione`,
      String.raw`exclu(?:ir\p{L}*|i|a|são|íd[oa]s?)|apag(?:ar\p{L}*|a|ue|ad[oa]s?)|remov(?:er\p{L}*|a|id[oa]s?)|remoção|delet(?:ar|ad[oa]s?)`,
      String.raw`verwijder\p{L}*|wis(?:sen|t)|gewist|usun\p{L}*|usuw\p{L}*|s?kasow\p{L}*`,
      String.raw`удал(?!енн|ённ)\p{L}+|стереть|сот(?:реть|рите)|ст[её]рт\p{L}*|стира\p{L}*|radera|ta bort|slett\p{L}*|smazat|sil(?:mek|insin)`,
    ],
    unspaced: ['删除|刪除|移除|清除|清空|删掉|刪掉|抹去', '削除|消去|取り除|抹消|消してもよ', '삭제|제거|지우'],
  },
  removes: {
    spaced: [
      String.raw`vergessen|oublier|olvidar|dimenticare|esquecer|vergeten|zapomnieć|забыть`,
      String.raw`in den papierkorb|(?:à|dans) la corbeille|a la papelera|nel cestino|para a? ?lixeira|naar de prullenbak|do kosza|в корзину`,
    ],
    unspaced: ['回收站|废纸篓|垃圾桶|忘记此', 'ゴミ箱', '휴지통'],
  },
  overwrites: {
    spaced: [
      String.raw`überschr(?:eib|ieb)\p{L}*|écras(?!ant)\p{L}*|réécri\p{L}* par-dessus|sobre?escri\p{L}*|sobrescri\p{L}*|reescrib\p{L}*|sovrascri\p{L}*`,
      String.raw`sobrescrev\p{L}*|sobrepor\p{L}*|regravar|substitu\p{L}*|overschr\p{L}*|nadpis\p{L}*|пере(?:за)?пис(?:ать|ан|ыва)\p{L}*|затереть|skriv[ae]? över|přepsat|üzerine yaz\p{L}*`,
    ],
    unspaced: ['覆盖|覆蓋|覆写|覆寫|改写|复写', '上書き', '덮어 ?(?:쓰|씁|쓸)'],
  },
  replaces: {
    spaced: [
      String.raw`ersetz\p{L}*|remplac\p{L}*|reempla[zc]\p{L}*|sustitu\p{L}*|sostitu\p{L}*|vervang\p{L}*|zastąp\p{L}*|zastęp\p{L}*|замен(?:и|я|е|ё|а)\p{L}*`,
    ],
    unspaced: ['替换|替換|取代', '置き換え|置換|差し替え', '바꾸|교체|대체'],
  },
  destroys: {
    spaced: [
      String.raw`zerstör\p{L}*|vernicht\p{L}*|détrui\p{L}*|destru\p{L}*|distrug\p{L}*|distrutt\p{L}*|vernietig\p{L}*|zniszcz\p{L}*|уничтож\p{L}*`,
    ],
    unspaced: ['销毁|銷毀|摧毁|摧毀|破坏|破壞', '破壊', '파괴|파기'],
  },
  discards: {
    spaced: [
      String.raw`verw(?:erf|irf|orf)\p{L}*|verlier\p{L}*|verloren(?: gehen)?|ohne zu speichern|nicht gespeichert\p{L}*`,
      String.raw`abandonn\p{L}*|perd(?:re|ue?s?|ez|ront)|rejeter|annuler (?:les|vos|toutes les) (?:modif|chang)\p{L}*|sans (?:enregistrer|sauvegarder)`,
      String.raw`descart\p{L}*|perd(?:er\p{L}*|id[oa]s?)|deshac\p{L}*|sin guardar|scart(?:are|a|ate)|perd(?:ere|ut[oaie]|eranno)|pers[oaie]|annullare le modifiche|senza salvare`,
      String.raw`sem (?:salvar|guardar|gravar)|weggooi\p{L}*|verwerp\p{L}*|verlor\p{L}*|verliez\p{L}*|ongedaan maken|zonder (?:op te slaan|opslaan)`,
      String.raw`odrzu\p{L}*|porzu\p{L}*|utra(?:c|t)\p{L}*|bez zapis\p{L}*|отбро[сш]\p{L}*|поте[рщ]\p{L}*|утра[чт]\p{L}*|отменить (?:все )?изменения|без сохранения`,
    ],
    unspaced: [
      '丢弃|丟棄|放弃|放棄|丢失|遺失|遗失|捨棄|舍弃|不保存|不儲存',
      '捨て|失われ|破棄|保存せず|保存しないで',
      '버리|버릴|잃|저장하지',
    ],
  },
  detaches: {
    spaced: [
      String.raw`(?:ab)?trennen|getrennt|détacher|déconnect(?:er|é\p{L}*)|desconect(?:ar|ad\p{L}*)|desvincular|disconnett\p{L}*|scolleg\p{L}*|ontkoppel\p{L}*|odłącz\p{L}*|отсоедин\p{L}*|отключ\p{L}*`,
    ],
    unspaced: ['断开|斷開', '切断|切り離', '연결 ?(?:해제|끊)'],
  },
  'ends, stops or locks out:': {
    spaced: [
      String.raw`(?:dienst|service|server|container|instanz|cluster|datenbank)\p{L}*[^?]{0,40} (?:anhalten|stoppen|beenden|abschalten|sperren)`,
      String.raw`(?:arrêt(?:er|ez)|deten(?:er|ga)|par(?:ar|e)|arrest(?:are|a)|ferm(?:are|a)|stopp?en?|zatrzym\p{L}*|останов\p{L}*) (?:l[ea]s? |l['’]|el |los |il |lo |gli |i |o |a |os |as |de |het )?(?:\p{L}+ )?(?:servi[cçz]\p{L}*|conten\p{L}*|instan\p{L}*|istanz\p{L}*|serve?u?r\p{L}*|servidor\p{L}*|usług\p{L}*|kontener\p{L}*|служб\p{L}*|сервер\p{L}*|контейнер\p{L}*|dienst\p{L}*|machine|base de)`,
      String.raw`deaktivieren|désactiv(?:er|ez)|desactiv(?:ar|e)|disattiv(?:are|a)|desativ(?:ar|e)|uitschakel\p{L}*|wyłącz\p{L}*`,
    ],
    unspaced: ['停止|停用|禁用|关闭.{0,8}(?:服务|实例|容器|防火墙)', '停止|無効に', '중지|비활성'],
  },
  'overwrites existing data:': {
    spaced: [
      String.raw`wiederherstell\p{L}*|wiederhergestellt|zurückspielen|restaur(?!ant)\p{L}*|ripristin\p{L}*|herstel(?:len|t)|terugzet\p{L}*|przywr(?:óc|ac)\p{L}*|odtwórz|odtworzyć|восстанов\p{L}*`,
    ],
    unspaced: [
      '(?:恢复|還原|还原|恢復).{0,12}(?:备份|快照|数据|系统|出厂|默认|配置|備份|預設|設定|文件)|(?:备份|快照|備份).{0,8}(?:恢复|還原|还原|恢復)|还原|還原',
      '復元|リストア|巻き戻',
      '복원',
    ],
  },
  formats: {
    spaced: [
      String.raw`(?:um|neu)?formatier\p{L}*|format(?:er|ez|age)|formatée?s?|format(?:ear\p{L}*|ee|ead[oa]s?)|formatt(?:are|a|azione|at[oaie]|er\p{L}*)|format(?:ar|ad[oa]s?|ação)|s?formatow\p{L}*|(?:от|пере)?форматир\p{L}*|partitionieren|(?:neu|um)partitionier\p{L}*`,
    ],
    unspaced: ['格式化', 'フォーマット|初期化', '포맷|초기화'],
  },
  kills: {
    spaced: [
      String.raw`(?:prozess|sitzung|aufgabe|programm|task)\p{L}*[^?]{0,40} (?:beende[nt]|abbrechen|abschießen|stoppen|töten|killen)|beende\p{L}* (?:erzwingen|den prozess\p{L}*)|abschießen|abgeschossen|töten|zwangsweise`,
      String.raw`tue[rz]|(?:arrêt|termin|ferm|interromp|met)\p{L}* (?:fin à )?(?:l[ea]s? |l['’]|ce |cette )?(?:processus|session|tâche|programme)s?`,
      String.raw`matar|mate (?:el|la|los|las|este|esta|al)|(?:termin|finaliz|deten|interrump|cerr)\p{L}* (?:el |los |la |las |este |esta )?(?:proceso|sesi|tarea|programa)\p{L}*`,
      String.raw`uccid\p{L}*|ucciso|(?:termin|interromp|chiud|arrest)\p{L}* (?:forzatamente )?(?:il |i |la |le |questo |questa )?(?:process|session|attivit|programm)\p{L}*`,
      String.raw`(?:encerr|finaliz|termin|interromp)\p{L}* (?:o |os |a |as |este |esta )?(?:process|sess|taref|program)\p{L}*`,
      String.raw`(?:proces|sessie|taak|programma)\p{L}*[^?]{0,40} (?:beëindig\p{L}*|stoppen|afsluiten|doden|afbreken)|beëindig\p{L}*|doden`,
      String.raw`zabi(?:ć|j|ja|ty|te)\p{L}*|(?:zakończ|przerw)\p{L}* (?:\p{L}+ )?(?:proces|sesj|zadani|program)\p{L}*`,
      String.raw`уби(?:ть|т|в|ва)\p{L}*|(?:заверш|прерв|останов|снят)\p{L}* (?:\p{L}+ )?(?:процесс|сеанс|задач|сесси|программ)\p{L}*|(?:signal|señal|segnale|sinal|sygnał|сигнал)(?: \S+)? (?:an|à|al|a|ao|naar|do)? ?(?:(?:den|le|il|o|het) )?(?:pro[cz]es\p{L}*|процесс\p{L}*)`,
    ],
    unspaced: [
      '杀死|殺死|杀掉|砍掉|终止|終止|强制结束|强行结束|(?:结束|結束|中断|中斷|中止).{0,10}(?:进程|程序|任务|会话|行程|工作)|(?:进程|行程|任务).{0,10}(?:结束|結束|中止)',
      '強制終了|終了させ|(?:プロセス|ジョブ|セッション).{0,14}(?:終了|停止|中止|殺)|殺し|キルし',
      '강제 ?종료|종료하|(?:프로세스|작업|세션).{0,10}(?:종료|중지)',
    ],
  },
  purges: {
    spaced: [
      String.raw`bereinig\p{L}*|aufräumen|purg(?:er|ez|ar|are|e)|nettoy\p{L}*|limpi(?:ar\p{L}*|e)|limp(?:ar|e|eza)|pulire|pulizia|opschonen|opruimen|wyczyś\p{L}*|oczyś\p{L}*|вычист\p{L}*`,
    ],
    unspaced: ['清理|清扫', '掃除|クリーンアップ', '정리하'],
  },
  resets: {
    spaced: [
      String.raw`zurück(?:zu|ge)?setz\p{L}*|werkseinstellung\p{L}*|réinitialis\p{L}*|rétabl(?:ir|iss\p{L}*)|(?:paramètres|valores|impostazioni|configuraç\p{L}*|ajustes) (?:d['’]usine|de fábrica|di fabbrica)`,
      String.raw`restablec\p{L}*|reinicializ\p{L}*|reimpost\p{L}*|azzer(?:are|a)|redefin(?:ir|a)|repor|resetten|fabrieksinstelling\p{L}*|(?:z)?resetow\p{L}*|сброс\p{L}*|сбра\p{L}*`,
    ],
    unspaced: ['重置|重设|重設|恢复出厂|初始化|恢复默认', 'リセット|初期状態|工場出荷', '재설정|공장 ?초기화'],
  },
  clears: {
    spaced: [
      String.raw`(?:ge)?leer(?:en|t)|vid(?:er|ez|ée?s?|ange)|vaci(?:ar\p{L}*|e)|svuot\p{L}*|esvazi\p{L}*|leegmaken|geleegd|opróżni\p{L}*|очист\p{L}*|очищ\p{L}*`,
    ],
    unspaced: ['清空', 'クリア|空にし', '비우'],
  },
  forces: {
    spaced: [
      String.raw`erzw(?:ing|ung)\p{L}*|forc(?:er|ez|ée?s?)|forz(?:ar|are|a|ad[oa]|at[oa]|atamente)|fuerce|força(?:r|d[oa])|forceer\p{L}*|forceren|afdwingen|geforceerd|wymu[sś]\p{L}*|принудит\p{L}*|trotzdem löschen`,
    ],
    unspaced: ['强制|強制|强行|強行', '強制|無理に', '강제'],
  },
  revokes: {
    spaced: [
      String.raw`widerr\p{L}*|entzieh\p{L}*|révo(?:qu|c)\p{L}*|revo(?:c|qu)\p{L}*|revog\p{L}*|intrek\p{L}*|ingetrokken|unieważni\p{L}*|cofn\p{L}*|отозв\p{L}*|отзыв\p{L}*|аннулир\p{L}*`,
    ],
    unspaced: ['吊销|撤销|撤銷|作废|註銷|注销', '失効|取り消し', '취소하시겠|폐기'],
  },
  'stops everything running on this machine:': {
    spaced: [
      String.raw`neu ?(?:zu)?start(?:en|et)|neugestartet|herunter(?:zu)?fahren|heruntergefahren|ausschalten|redémarr\p{L}*|éteindre|éteint|mettre hors tension|reinici(?:ar\p{L}*|e|o)`,
      String.raw`apagar (?:el|la|este|o|a|ahora)|riavvi\p{L}*|spegn\p{L}*|deslig(?:ar|ue)|herstart\p{L}*|opnieuw (?:op)?(?:ge)?start\p{L}*|zrestartow\p{L}*|ponown\p{L}* uruchom\p{L}*|uruchom\p{L}* ponownie|перезагру\p{L}*|перезапус\p{L}* (?:компьютер|систем|сервер|машин)\p{L}*|выключ\p{L}*`,
    ],
    unspaced: [
      '重启|重啟|重新启动|重新啟動|重開機|关机|關機',
      '再起動|シャットダウン|電源を切',
      '재부팅|재시작|시스템 종료',
    ],
  },
  downgrades: {
    spaced: [String.raw`herunterstufen|rétrograd\p{L}*|degradar|retroceder|понизить`],
    unspaced: ['降级|降級', 'ダウングレード', '다운그레이드'],
  },
}
