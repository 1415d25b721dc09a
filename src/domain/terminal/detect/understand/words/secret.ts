import { lexicon } from './lexicon.ts'

/** Secrets: what is typed must not be stored. */
export const secretWords = lexicon(
  [
    String.raw`(?:pass|user|vault)?(?:passwords?|passwd|pwd)`,
    String.raw`pass[- ]?(?:phrase|code|key)s?`,
    String.raw`pin(?:[- ]?(?:code|number))?`,
    String.raw`^(?:pass|pw)(?=\s*:)`,
    String.raw`code (?:sent|we sent|from your)`,
    String.raw`unlock (?:the )?(?:disk|volume|drive|device|partition|keyring|vault|card)`,
    String.raw`^enter (?:a |the |your )?(?:management |encryption |decryption )?key(?=\s*(?:\[|:))|puk|otp|totp|cvv|cvc|psk`,
    String.raw`(?:one[- ]time|single[- ]use)[- ](?:password|passcode|code|token|pin)`,
    String.raw`(?:verification|authentication|authenticator|security|confirmation|authorization|auth|login|access|recovery|backup|device|sms|pairing|unlock|2fa|mfa|two[- ]factor|[68][- ]digit|\d+[- ]digit)[- ](?:authentication )?(?:code|token)s?`,
    String.raw`(?:2fa|mfa|two[- ]factor)(?: (?:code|token))?`,
    String.raw`(?:[\w-]+ )?tokens?`,
    String.raw`(?:api|application|secret|private|encryption|decryption|master|vault|recovery|unlock|unseal|signing|shared|session|access|account|storage|pre-?shared|luks|wep|wpa|psk|wi-?fi|wireless|network)[- ]?(?:access )?key(?! ?(?:id|name|file|path|size|length|type|identifier|slot))`,
    String.raw`(?:recovery|seed|secret|mnemonic|backup)[- ]?(?:phrase|words|mnemonic)`,
    String.raw`mnemonic|credentials?|client secret|app secret|(?:shared )?secret`,
    String.raw`pass(?:wort|wörter|phrase|satz)|kennwort|kennwörter|pass[- ]?wort|geheimzahl|geheimnis|mantra`,
    String.raw`\p{L}{0,60}(?:passwort|kennwort|passphrase)`,
    String.raw`(?:sicherheits|bestätigungs|verifizierungs|einmal|zugangs|authentifizierungs|wiederherstellungs)-?(?:code|kennwort|passwort|token|schlüssel)`,
    String.raw`(?:api|geheimer|privater|zugriffs)[- ]?schlüssel|(?:zugriffs|zugangs|api)-?token`,
    String.raw`mots? de passe|phrase (?:de passe|secrète|secrete)|code (?:pin|secret|de vérification|de sécurité|de confirmation|d['’]authentification)|jeton(?: d['’]accès)?|clé (?:secrète|privée|api|d['’]api|d['’]accès|de chiffrement)`,
    String.raw`contraseñas?|contrasena|frase (?:de paso|de contraseña|secreta|de acceso)|clave(?: (?:secreta|privada|de api|de acceso|api|de cifrado))?|código (?:pin|de verificación|de seguridad|de confirmación|de acceso)`,
    String.raw`senhas?|palavra[- ]passe|frase[- ]senha|código de verificação|chave (?:secreta|privada|de api|api)`,
    String.raw`parola(?: d['’]ordine| chiave)?|frase segreta|codice (?:di verifica|pin|di sicurezza)|chiave (?:segreta|privata|api)`,
    String.raw`пароль|пароля|парольн\p{L}+ фраз\p{L}+|код (?:подтверждения|доступа)|пин-?код|токен|секретный ключ|ключ api`,
    String.raw`wachtwoord|lösenord|hasło|heslo|parola|şifre`,
    String.raw`(?:licen[cs]e|product|activation|registration|serial|cd)[- ]?keys?`,
    String.raw`adgangskode|passord|salasana|jelszó|lozinka|geslo|parool|parole|slaptažodis|parolă|pasahitza|contrasenya|kata sandi|nenosiri|mật khẩu|lykilorð|fjalëkalimi`,
    String.raw`парола|лозинка|лозинку|пароль доступу|гасло|κωδικός(?: πρόσβασης)?|συνθηματικό|გასაღები|პაროლი|գաղտնաբառ`,
  ],
  [
    'كلمة (?:ال)?(?:مرور|سر)|(?:كلمة|رمز|رقم) (?:المرور|السر|السري|الدخول|التحقق)|الرقم السري|عبارة المرور|گذرواژه|رمز عبور|کلمه عبور|پاس ?ورڈ|סיסמ[הא]|קוד אימות',
    'पासवर्ड|कूटशब्द|পাসওয়ার্ড|கடவுச்சொல்|పాస్‌వర్డ్|పాస్వర్డ్|รหัสผ่าน|ລະຫັດຜ່ານ|ពាក្យសម្ងាត់|စကားဝှက်',
    '密码|密碼|口令|通行码|密钥|密鑰|私钥|私鑰|验证码|驗證碼|校验码|动态码|令牌|助记词|助記詞|PIN码|凭据',
    'パスワード|パスフレーズ|パスコード|暗証番号|認証コード|確認コード|検証コード|トークン|秘密鍵|暗号鍵|APIキー|合言葉|ワンタイム',
    '비밀번호|패스워드|암호|인증 ?(?:코드|번호)|확인 코드|토큰|비밀 ?키|개인 ?키|열쇠글|API 키',
  ],
)

/** Makes a match of the above harmless: a rule about passwords, a name, a file. */
export const aboutSecrets =
  /(?:pass(?:word|wd|phrase|code)?|token|key|secret|pin|credentials?)s?[- ](?:age|change|expir\p{L}*|length|policy|hint|file|path|name|type|size|id|count|limit|inactive|manager|store|location|directory|prefix|label|description|lifetime|ttl|scopes?|url|endpoint|column|field|variable)(?![\p{L}])|(?:number|name|type|length|kind|path|location|count|description|id) (?:of|for|to) (?:\p{L}+ )?(?:pass(?:word|phrase)|tokens?|key|secret)/iu

/** Asks to repeat a hidden input. */
export const onceMore =
  /^\W*(?:please )?(?:verif(?:y|ying|ication)|confirm(?:ation)?|repeat|again|re-?type|re-?enter|enter (?:it |same |the same \p{L}+ )?again|once more|bestätig\p{L}*|wiederhol\p{L}*|noch einmal|nochmal\p{L}*|répét\p{L}*|confirme[zr]?|encore|repita|repetir|de nuevo|ripeti|conferma|повтор\p{L}*|再次\p{L}*|もう一度|再入力)(?![\p{L}]).{0,24}[:：]$/iu

/** Sets or changes a password, rather than asking for the current one. */
export const newSecret = lexicon(
  [
    String.raw`(?:new|changed?|changing|fresh|replacement)(?: [\w/-]+){0,3} (?:password|passwd|passphrase|pass phrase|pin|passcode)`,
    String.raw`new (?:\w+ ){0,2}(?:token|api key)(?=\s*[:?])|enter password for principal`,
    String.raw`(?:set(?: |-)?up|set|choose|create|pick|change|reset|update|define|assign)(?: [\w/'’-]+){0,4} (?:password|passphrase|pin|passcode)`,
    String.raw`(?:password|passphrase|pin) for (?:the )?new (?:role|user|account|login|admin\w*|owner|key ?slot)`,
    String.raw`(?:current|old|existing)(?: [\w/-]+){0,2} (?:password|passphrase|pin)`,
    String.raw`(?:neues|neue|neuen|geänderte[sn]?|aktuelles|altes|jetziges|derzeitiges|bisheriges)(?: [\p{L}-]+){0,2} (?:passwort|kennwort|passphrase|pin)`,
    String.raw`(?:passwort|kennwort|passphrase|pin)(?: \S+){0,3} (?:ändern|zurücksetzen|neu setzen|festlegen|vergeben)`,
    String.raw`nouveau(?: [\p{L}-]+){0,2} mot de passe|nouvelle phrase (?:de passe|secrète)|ancien mot de passe|mot de passe (?:actuel|unix actuel)|changer le mot de passe|nouveau code pin`,
    String.raw`nueva(?: [\p{L}-]+){0,2} (?:contraseña|clave|frase)|contraseña (?:nueva|actual|anterior)|cambiar la contraseña|(?:actual|antigua) contraseña`,
    String.raw`nova (?:senha|palavra-passe)|(?:senha|palavra-passe) (?:atual|nova|antiga)|(?:alterar|mudar|definir) a (?:senha|palavra-passe)|nuova (?:password|passphrase|frase)|(?:password|passphrase) (?:attuale|corrente|nuova|vecchia)|vecchia password|cambia(?:re)? (?:la )?password|nuova parola`,
    String.raw`новый(?: [\p{L}-]+){0,2} пароль|текущий пароль|старый пароль|пароль.{0,20}новый|(?:nieuwe?|huidige?|oude?)(?: [\p{L}-]+){0,2} wachtwoord|wachtwoord wijzigen|nytt lösenord|(?:now|obecn|bieżąc|aktualn|star|poprzedni)e(?: [\p{L}-]+){0,2} hasło|zmień hasło|zmiana hasła|смен\p{L}* пароля|изменить пароль|нов(?:ого|ый) пароля?`,
  ],
  [
    '新的?\\s?.{0,8}(?:密码|密碼|口令)|(?:当前|目前|现在|原|旧|舊)的?\\s?.{0,8}(?:密码|密碼|口令)|(?:修改|更改|变更|重设|重置|设置|設定).{0,16}(?:密码|密碼)',
    '新しい.{0,10}(?:パスワード|パスフレーズ)|(?:現在|古い|以前)の?.{0,8}パスワード|パスワードを?(?:変更|再設定|リセット)',
    '새(?:로운)? ?.{0,8}(?:비밀번호|암호|패스워드)|현재 ?(?:비밀번호|암호)|비밀번호 변경',
  ],
)
