type Words = { spaced: readonly string[]; unspaced: readonly string[] }

/** Per decision: German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian; Chinese, Japanese, Korean. */
export const trustWords = {
  host: {
    spaced: [
      String.raw`verbindung (?:wirklich |trotzdem )?(?:fortsetzen|fortführen|herstellen|aufbauen)|echtheit|authentizität|(?:host|server|rechner)-?schlüssel\p{L}*|schlüssel (?:des|vom) (?:hosts?|servers?|rechners?)|(?:schlüssel-?)?fingerabdruck`,
      String.raw`authenticité|(?:clé|empreinte) (?:d['’]|de l['’]|du )?(?:hôte|serveur|clé)|continuer (?:à (?:vous |se )?connecter|la connexion)`,
      String.raw`autenticidade?|huella(?: digital)? de|clave (?:de|del)? ?(?:host|anfitrión|servidor)|continuar (?:con la conexión|conectando|conectándose|a conexão|a ligação)|chave (?:de|do) (?:host|anfitrião|servidor)|impressão digital`,
      String.raw`autenticità|impronta (?:digitale|della?)|chiave (?:dell['’]|del |di )?(?:host|server)|continuare (?:la connessione|a connetter\p{L}*|con la connessione)`,
      String.raw`authenticiteit|vingerafdruk|hostsleutel|(?:doorgaan met|verder) verbinden|verbinding (?:voortzetten|toch maken)|autentyczno\p{L}*|odcisk\p{L}* (?:palca|klucza)|klucz\p{L}* hosta|kontynuować (?:łączenie|połączenie)`,
      String.raw`подлинност\p{L}*|отпечат\p{L}*|ключ\p{L}* (?:хоста|узла|сервера)|продолжить (?:подключение|соединение)|fingerprint`,
    ],
    unspaced: [
      '主机密钥|主機金鑰|无法确认主机|真实性|真實性|继续连接|繼續連線|指纹|指紋',
      'ホスト鍵|ホストキー|フィンガープリント|真正性|接続を(?:続|継続)|接続し続け',
      '호스트 ?키|지문|연결을 계속',
    ],
  },
  certificate: {
    spaced: [
      String.raw`\p{L}*zertifikat\p{L}*|certificats?|certificad[oa]s?|certificat[oi]|certifica(?:at|ten)|certyfikat\p{L}*|сертификат\p{L}*`,
    ],
    unspaced: ['证书|憑證|凭证', '証明書', '인증서'],
  },
  key: {
    spaced: [
      String.raw`schlüssel\p{L}*[^?]{0,40} (?:importieren|hinzufügen|akzeptieren|annehmen|vertrauen|signieren|unterschreiben|beglaubigen)`,
      String.raw`(?:import|ajout|accept|sign|aceit|acept|añad|agreg|firm|aggiung|accett|adicion|assin)\p{L}*(?: \p{L}+){0,3} (?:clés?|claves?|llaves?|chiav[ei]|chaves?)`,
      String.raw`sleutels?[^?]{0,40} (?:importeren|toevoegen|accepteren|ondertekenen)|(?:zaimport|import|doda|zaakcept|podpis)\p{L}*(?: \p{L}+){0,3} klucz\p{L}*|(?:импорт|добав|прин|подпис)\p{L}*(?: \p{L}+){0,3} ключ\p{L}*`,
    ],
    unspaced: [
      '(?:导入|匯入|添加|接受|签署|签名).{0,12}(?:密钥|公钥|金鑰)|(?:密钥|公钥|金鑰).{0,8}(?:导入|匯入)',
      '鍵を?.{0,8}(?:取り込|インポート|署名|追加|受け入れ)',
      '키를? ?(?:가져오|추가|서명)',
    ],
  },
  trust: {
    spaced: [
      String.raw`vertrau(?!lich)\p{L}*|(?:faire|fais|fait|faites|avoir|avez)(?:[ -]\p{L}+){0,2} confiance|confi(?:ar|a|e|ás?|as)|confía\p{L}*|fidar\p{L}*|fidi|(?:come|come un)? ?attendibil\p{L}*`,
      String.raw`vertrouw(?!elijk)\p{L}*|zaufa\p{L}*|ufa(?:ć|sz)|довер(?:я|и|ьте)\p{L}*|доверенн\p{L}*`,
    ],
    unspaced: ['信任', '信頼', '신뢰'],
  },
  guard: {
    spaced: [
      String.raw`(?:firewall|brandmauer|selinux|apparmor|2fa|verschlüsselung|chiffrement|cifrado|crittografia|criptografia|versleuteling|szyfrowanie|шифровани\p{L}*)[^?]{0,30} (?:deaktivieren|abschalten|ausschalten|öffnen|uitschakelen)`,
      String.raw`(?:désactiv|desactiv|desativ|disattiv|disabilit|wyłącz|отключ)\p{L}*(?: \p{L}+){0,3} (?:pare-feu|cortafuegos|firewall|chiffrement|cifrado|crittografia|criptografia|zap\p{L}+|szyfrow\p{L}+|шифрован\p{L}+|selinux|authenti\p{L}+|autenti\p{L}+|брандмауэр\p{L}*)`,
    ],
    unspaced: ['(?:关闭|禁用|停用).{0,6}(?:防火墙|防火牆|加密|验证|认证)', '(?:ファイアウォール|暗号化|認証)を?無効'],
  },
} as const satisfies Record<string, Words>
