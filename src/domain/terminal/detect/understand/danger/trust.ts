import { lexicon, type Lexicon } from '../words/lexicon.ts'

type TrustRule = { words: Lexicon; reason: string }

/** Keys of the keyboard. */
const keyboard =
  /(?<![\p{L}])(?:arrow|cursor|delete|del|backspace|enter|return|tab|escape|esc|control|ctrl|alt|meta|function|space|shift|any|up|down|left|right|page|home|end|hot|[a-z]) keys?(?![\p{L}])(?! anyway)/giu

export const withoutKeyboard = (text: string): string => text.replace(keyboard, ' ')

/** `Use the Delete key for it?`: names a key, not an action. */
export const withoutNamedKeys = (text: string): string =>
  text.replaceAll(
    /(?<![\p{L}])(?:use|press|hit|with|the|bind|map) (?:the )?(?:delete|del|backspace|insert|clear|reset|kill|end) keys?(?![\p{L}])|(?<![\p{L}])keys? pressed:? \S+/giu,
    ' ',
  )

type TrustWords = { spaced: readonly string[]; unspaced: readonly string[] }

/** Per decision: German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian; Chinese, Japanese, Korean. */
const trustWords = {
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
} as const satisfies Record<string, TrustWords>

/** Decisions about whom to trust. */
export const trustRules: readonly TrustRule[] = [
  {
    words: lexicon(
      [
        String.raw`continue connecting|continue with (?:the )?connection|(?:could|can) ?not (?:prove|verify) (?:that )?(?:it|the|this|server|host|identity)|host ?keys?|host identification|(?:host|server|signer|issuer|publisher|author|device|sender)\b[^?]{0,20} (?:is )?(?:unknown|not known|unverified)|(?:connect|trust) and remember|identity of the (?:host|server)|stored key|(?:key|rsa|ed25519|ecdsa|dsa)\w* (?:key )?fingerprint|authenticity|known_hosts|cache(?:d)? (?:the )?(?:host )?key|store key in cache`,
        ...trustWords.host.spaced,
      ],
      trustWords.host.unspaced,
    ),
    reason: 'trusts an unknown host key',
  },
  {
    words: lexicon(
      [
        String.raw`(?:accept|trust|install|import|sign|commit|add|untrusted|unknown|self[- ]signed|invalid|expired|unverified|reject|revoke)\b[^?]{0,60}\bcertificates?|certificates?\b[^?]{0,60}\b(?:accept|trusted|untrusted|not (?:trusted|valid|verified)|unknown|self[- ]signed|expired|invalid|reject|certified|fail\w*|mismatch\w*)|\(r\)eject`,
        ...trustWords.certificate.spaced,
      ],
      trustWords.certificate.unspaced,
    ),
    reason: 'trusts or signs a certificate',
  },
  {
    words: lexicon(
      [
        String.raw`(?:use|trust|sign|(?:import|importing)|accept|add|certify)\b[^?]{0,40}\b(?:gpg|pgp|openpgp|public|signing|repository|ssh|this|the|these)\b[^?]{0,20}\bkeys?|keys? (?:\p{L}+ ){0,4}(?:to )?be (?:accepted|trusted|imported)|not in (?:your|the) keyring|accept (?:\w+ )?keys?|ultimate(?:ly)? trust|owner ?trust|how far you trust|no assurance this key|use this key anyway|really sign|pubkey|unsigned \w+|(?:without|not|unverified|unauthenticated|bad|missing|invalid)(?: be| been)? (?:signatures?|signed|authenticated|verified|verification)|signature (?:verification|check) failed|untrusted (?:source|publisher|repository|key|package|version|plugin|app)s?`,
        ...trustWords.key.spaced,
      ],
      trustWords.key.unspaced,
    ),
    reason: "trusts a key or a package whose origin it can't verify",
  },
  {
    words: lexicon(
      [
        String.raw`(?:do you )?(?:fully )?trust (?:the|this|these|all|that|his|her|it|files|contents|author\w*|workspace|folder|host|device|server|site|source|signer|publisher|repository|\w+'s)|trust (?:always|temporarily|once|permanently)|always trust|(?:is|are) not (?:yet )?trusted|(?:not|un|is) ?trusted(?: yet)?[.:]? trust|unknown (?:publisher|author|signer|issuer|developer)|trusted (?:folder|workspace|device)|(?:local|root|custom|new|this|the|private) ca(?: certificate)?|certificate authority|trust ?store|pair(?:ing)? (?:with|request)|accept pairing|confirm passkey|authorize (?:service|device)|allow (?:remote|root|incoming|external|unauthenticated|anonymous|public|inbound|guest|everyone|anyone|all)(?: \w+)?|open(?:ing)? (?:the )?port(?! number)s?|to (?:all ?users|everyone|anyone|0\.0\.0\.0\S*)|two-factor|expos(?:e|es|ing)(?= )`,
        ...trustWords.trust.spaced,
      ],
      trustWords.trust.unspaced,
    ),
    reason: 'trusts it permanently',
  },
  {
    words: lexicon(
      [
        String.raw`(?:switch|change)\b[^?]{0,30}\bauthentication|(?:disable|turn|switch|deactivate|bypass|skip|weaken|relax|lower|open|ignore|disallow|remove|allow|permit|enable)\b[^?]{0,30}\b(?:firewall|selinux|apparmor|secure boot|signature\w*|verification|encryption|authentication|protection|tls|ssl|sandbox\w*|root login|log ?in (?:for|as) root|remote root|anonymous(?! (?:\p{L}+ )?(?:report|usage|statistic|telemetry|data|metric|analytic)\p{L}*)|security|permission checks?|safety|antivirus)`,
        String.raw`(?:write|store|save|keep) (?:the |this |your |my )?(?:new )?password (?:to|in|into) (?:an? )?(?:\S*\/|(?:plain |text )?file)|accept\b[^?]{0,30}\bfirewall|(?:empty|blank) password|validate password|password (?:validation|policy)|anonymous users|sshd?_config|authorized_keys|sudoers|\/etc\/(?:g?shadow|passwd|group|pam\S*|ssh\S*)|ma[kd]e\b[^?]{0,30}\b(?:public|world-readable)|public(?:ly)? (?:visible|accessible|readable|writable|available|access|internet|registry)|to (?:the )?public|all interfaces|(?:execute|run)\b[^?]{0,20} code|third-party (?:repository|repo|source|code)s?|keys? (?:will be )?trusted|to the internet|world-(?:readable|writable)|(?:un|not )encrypted|(?:stor|sav|writ|keep|send|password|token|credential|secret)[^?]{0,60}(?:plain|clear)[ -]?text|insecure(?:ly)?|unsafe(?:ly)?|(?:checksum|hash|digest|sha\w*|fingerprint|signature|integrity)\b[^?]{0,40}(?:mismatch\w*|fail\w*|differs?|(?:does|do|did) ?n[o'’]t match|invalid|missing)|to permissive|execution policy|full control|without (?:tls|ssl|encryption|authentication|(?:a )?password|verification|verifying)|change (?:the )?(?:repository )?visibility`,
        String.raw`(?:update|modify|change|alter|edit|patch)\b[^?]{0,60}?(?:authenticat\w*|secrets?|key(?:s|ring|store|file)?|credentials?|tokens?|\.(?:ssh|gnupg|netrc|pgpass))(?:["'’”/][^?]{0,20})?(?: files?)?(?=\W*\?)`,
        ...trustWords.guard.spaced,
      ],
      trustWords.guard.unspaced,
    ),
    reason: "changes this system's protection",
  },
]
