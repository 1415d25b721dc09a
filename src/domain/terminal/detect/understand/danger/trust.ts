import { lexicon } from '../words/lexicon.ts'

type Rule = { words: RegExp; reason: string }

/** Keys of the keyboard. */
const keyboard =
  /(?<![\p{L}])(?:arrow|cursor|delete|del|backspace|enter|return|tab|escape|esc|control|ctrl|alt|meta|function|space|shift|any|up|down|left|right|page|home|end|hot|[a-z]) keys?(?![\p{L}])(?! anyway)/giu

export const withoutKeyboard = (text: string): string => text.replace(keyboard, ' ')

/** Decisions about whom to believe. */
export const trustRules: readonly Rule[] = [
  {
    words: lexicon(
      [
        String.raw`continue connecting|host key|host identification|(?:host|server|signer|issuer|publisher|author|device|sender)\b[^?]{0,20} (?:is )?(?:unknown|not known|unverified)|(?:connect|trust) and remember|identity of the (?:host|server)|stored key|(?:key|rsa|ed25519|ecdsa|dsa)\w* (?:key )?fingerprint|authenticity of host|known_hosts|cache(?:d)? (?:the )?(?:host )?key|store key in cache`,
        String.raw`verbindung fortsetzen|verbindung wirklich|echtheit des (?:hosts|rechners)|authenticité de l['’]hôte|autenticidad del (?:host|servidor)|fingerprint`,
      ],
      ['主机密钥|主機金鑰|无法确认主机|继续连接|指纹', 'ホスト鍵|フィンガープリント|接続を(?:続|継続)', '호스트 키'],
    ),
    reason: 'trusts a host key it has not seen',
  },
  {
    words: lexicon(
      [
        String.raw`(?:accept|trust|install|import|sign|commit|add|untrusted|unknown|self[- ]signed|invalid|expired|unverified|reject|revoke)\b[^?]{0,60}\bcertificates?|certificates?\b[^?]{0,60}\b(?:accept|trusted|untrusted|not (?:trusted|valid|verified)|unknown|self[- ]signed|expired|invalid|reject|certified|fail\w*|mismatch\w*)|\(r\)eject`,
        String.raw`zertifikat\w*|certificat (?:non|inconnu|invalide)|accepter le certificat|aceptar el certificado|certificado (?:no|desconocido|inválido)|сертификат\w*`,
      ],
      ['证书|憑證|凭证', '証明書', '인증서'],
    ),
    reason: 'trusts or signs a certificate',
  },
  {
    words: lexicon(
      [
        String.raw`(?:use|trust|sign|(?:import|importing)|accept|add|certify)\b[^?]{0,40}\b(?:gpg|pgp|openpgp|public|signing|repository|ssh|this|the|these)\b[^?]{0,20}\bkeys?|ultimate(?:ly)? trust|ownertrust|how far you trust|no assurance this key|use this key anyway|really sign|pubkey|unsigned \w+|(?:without|not|unverified|unauthenticated|bad|missing|invalid)(?: be| been)? (?:signatures?|signed|authenticated|verified|verification)|signature (?:verification|check) failed|untrusted (?:source|publisher|repository|key|package|plugin|app)`,
        String.raw`schlüssel\w* (?:vertrauen|importieren|beglaubigen|unterschreiben)|faire confiance à|importer la clé|confiar en|importar la clave`,
      ],
      ['信任|导入.{0,6}密钥', '信頼|鍵を(?:取り込|インポート|署名)', '신뢰'],
    ),
    reason: 'trusts a key or a package whose origin it cannot check',
  },
  {
    words: lexicon(
      [
        String.raw`(?:do you )?(?:fully )?trust (?:the|this|these|all|that|his|her|it|files|contents|author\w*|workspace|folder|host|device|server|site|source|signer|publisher|repository|\w+'s)|trust (?:always|temporarily|once|permanently)|always trust|(?:not|un|is) ?trusted(?: yet)?[.:]? trust|trusted (?:folder|workspace|device)|(?:local|root|custom|new|this|the|private) ca(?: certificate)?|certificate authority|trust ?store|pair(?:ing)? (?:with|request)|confirm passkey|authorize (?:service|device)|allow (?:remote|root|incoming|external|unauthenticated|anonymous|public|inbound|guest|everyone|anyone|all)(?: \w+)?|open(?:ing)? (?:the )?port(?! number)s?|to (?:all ?users|everyone|anyone|0\.0\.0\.0\S*)|two-factor|expos(?:e|es|ing)(?= )`,
        String.raw`vertrauen(?: sie)?|fais-tu confiance|confía en|confia em|fidarsi`,
      ],
      ['信任', '信頼し', '신뢰하'],
    ),
    reason: 'trusts what it names from now on',
  },
  {
    words: lexicon([
      String.raw`(?:disable|turn off|deactivate|bypass|skip|weaken|relax|lower|open|ignore|disallow|remove|allow|permit|enable)\b[^?]{0,30}\b(?:firewall|selinux|apparmor|secure boot|signature\w*|verification|encryption|authentication|protection|tls|ssl|sandbox\w*|root login|log ?in (?:for|as) root|remote root|anonymous|security|permission checks?|safety|antivirus)`,
      String.raw`validate password|password (?:validation|policy)|anonymous users|sshd?_config|sudoers|make\b[^?]{0,30}\b(?:public|world-readable)|public(?:ly)? (?:visible|accessible|readable|writable|available|access|internet|registry)|to (?:the )?public|all interfaces|(?:execute|run)\b[^?]{0,20} code|third-party (?:repository|repo|source|code)s?|keys? (?:will be )?trusted|to the internet|world-(?:readable|writable)|(?:un|not )encrypted|(?:stor|sav|writ|keep|send|password|token|credential|secret)[^?]{0,60}(?:plain|clear)[ -]?text|insecure(?:ly)?|unsafe(?:ly)?|(?:checksum|hash|digest|sha\w*|fingerprint|signature|integrity)\b[^?]{0,40}(?:mismatch\w*|fail\w*|differs?|(?:does|do|did) ?n[o'’]t match|invalid|missing)|permissive|execution policy|full control|without (?:tls|ssl|encryption|authentication|(?:a )?password|verification|verifying)|change (?:the )?(?:repository )?visibility`,
    ]),
    reason: 'changes what protects this system',
  },
]
