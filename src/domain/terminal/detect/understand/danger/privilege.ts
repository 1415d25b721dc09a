import { lexicon } from '../words/lexicon.ts'

/** Words for acting with more rights. */
export const privilegeWords = lexicon(
  [
    String.raw`\[?sudo\]?|doas|pkexec|become|run0|su`,
    String.raw`super-?user|super user|as root|root['’]?s? (?:user )?(?:password|passwort|kennwort|privileges?|rights|access|shell)|(?:password|passwort|kennwort) (?:for|of|für) (?:user )?root(?= \(|$| for)|root for maintenance|administrator (?:rights|privileges|access)|admin(?:istrative)? privileges|elevat(?:e|ed|ion)|privileg(?:e|ed) (?:escalation|mode|access)|authentication is (?:required|needed)|authenticating (?:for|as)|setuid|grant (?:all|admin|superuser|root)`,
    String.raw`root-passwort|root-kennwort|administratorrechte|als root|passwort für root|erhöhte rechte|legitimierung (?:ist )?erforderlich|authentifizierung (?:ist )?(?:erforderlich|notwendig)`,
    String.raw`mot de passe (?:de |du )?(?:super-?utilisateur|root|administrateur)|en tant que root|superutilisateur|droits d['’]administrateur|authentification (?:est )?requise`,
    String.raw`contraseña de (?:root|administrador|superusuario)|como root|superusuario|privilegios de administrador|se requiere autenticación`,
    String.raw`senha d[eo] (?:root|administrador)|superusuário|password di root|come root|пароль (?:root|суперпользователя)|суперпользовател\p{L}*|права администратора`,
  ],
  [
    '管理员密码|管理員密碼|root ?密码|root ?的?密碼|超级用户|超級使用者|需要认证|以 ?root',
    '管理者(?:の)?パスワード|root ?(?:の)?パスワード|スーパーユーザ|管理者権限|認証が必要',
    '관리자 (?:암호|비밀번호|권한)|루트 ?(?:암호|비밀번호)|슈퍼유저',
  ],
)

/** A command that asks for the password to act as somebody with more rights. */
export const privilegeCommand =
  /(?:^|[\s;|&(])(?:sudo|su|doas|pkexec|run0|sudoedit|visudo|gksu\w*|kdesu\w*)(?=\s|$)|--(?:ask-)?become|-K(?:\s|$)/u

/** A command that sets a password. */
export const passwordCommand =
  /(?:^|[\s;|&(/])(?:(?:k|g|smb|ldap|vnc|ht|yp|lp|sp)?passwd|chpass\w*|change-?password|kpasswd|setpass\w*|smbpasswd|adduser|useradd)(?=\s|$)|\\password|\bpassword[- ](?:change|reset|set)|luks(?:changekey|addkey)|change-?passphrase/iu
