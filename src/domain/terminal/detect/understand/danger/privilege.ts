import { lexicon } from '../words/lexicon.ts'

/** Words for acting with higher privileges. */
export const privilegeWords = lexicon(
  [
    String.raw`password is (?:required|needed) (?:for|to)|["“]?(?:admin(?:istrator)?|owner|manager|operator|superuser)["”]? password(?=\s*:|$| for ["“])|password for ["“]?(?:admin|sys|system)["”]?(?=\s*:)|\[?sudo\]?|^\[[\w-]+\] password for|doas|pkexec|become(?= (?:password|root|the|an?\b))|run0|su`,
    String.raw`super-?user|super user|as root|root['’]?s? (?:user )?(?:password|passwort|kennwort|privileges?|rights|access|shell)|(?:password|passwort|kennwort) (?:for|of|für) (?:user )?root(?= \(|$| for| account)|root for maintenance|administrator (?:rights|privileges|access|password)|(?:password|passwort) (?:for|of|für) (?:the )?(?:local )?administrator|as (?:an? )?admin(?:istrator)?|(?:run|write|ffi|full(?: disk)?|unrestricted) access|allow all|make changes to (?:your|this|the) (?:device|computer|system)|admin password to|storage\.admin|\w+\.admin|(?:admin|administrator|owner|sudo|wheel|sudoers) (?:rights|role|group)|to (?:the )?(?:sudo|wheel|admin|root|docker)(?: group)?(?=\W*$)|to (?:the )?group (?:sudo|wheel|admin|root|docker|adm)|make (?:\S+ )?(?:an? |the )?(?:admin|owner)\w*|admin(?:istrative)? privileges|elevat(?:e|ed|ion)|privileg(?:e|ed) (?:escalation|mode|access)|(?<!factor )authentication is (?:required|needed)|authenticating (?:for|as(?=:| root))|privileged|setuid|grant (?:all|admin|superuser|root)`,
    String.raw`root-passwort|root-kennwort|administratorrechte|als root|als administrator|passwort für root|erhöhte rechte|legitimierung (?:ist )?erforderlich|authentifizierung (?:ist )?(?:erforderlich|notwendig)`,
    String.raw`mot de passe (?:de |du )?(?:super-?utilisateur|root|administrateur)|en tant que root|en tant qu['’]administrateur|superutilisateur|droits d['’]administrateur|authentification (?:est )?requise`,
    String.raw`contraseña de (?:root|administrador|superusuario)|como root|como administrador|superusuario|privilegios de administrador|se requiere autenticación`,
    String.raw`senha d[eo] (?:root|administrador)|superusuário|senha de superusu\p{L}*|palavra-passe de (?:root|administrador)|password (?:di|dell['’]) ?(?:root|amministratore)|come (?:root|amministratore)|diritti di amministratore|wachtwoord (?:van|voor) (?:root|de beheerder)|als beheerder|beheerdersrechten|hasło (?:dla |użytkownika )?(?:root|administratora)\p{L}*|jako (?:root|administrator)|требуется аутентификация|от имени (?:root|администратора)|от root|пароль (?:root|суперпользователя)|суперпользовател\p{L}*|права администратора`,
  ],
  [
    '管理员密码|管理員密碼|root ?密码|root ?的?密碼|超级用户|超級使用者|需要认证|以 ?root|以?管理员身份|以?系統管理員',
    '管理者(?:の)?パスワード|root ?(?:の)?パスワード|スーパーユーザ|管理者権限|管理者として|認証が必要',
    '관리자 (?:암호|비밀번호|권한)|루트 ?(?:암호|비밀번호)|슈퍼유저',
  ],
)

/** A command that asks for a password to act with higher privileges. */
export const privilegeCommand =
  /(?:^|[\s;|&(])(?:sudo|su|doas|pkexec|run0|sudoedit|visudo|gksu\w*|kdesu\w*|runas|gsudo|ksu|dzdo|pbrun|pfexec|calife|newgrp|super|please)(?=\s|$)|^(?:enable|en|super)(?:\s\d+)?$|--(?:ask-)?become|ansible\S* .*-K(?:\s|$)/u

/** A command that sets a password. */
export const passwordCommand =
  /(?:^|[\s;|&(/])(?:(?!mkpass|\S*mkpasswd)[\w-]{0,16}passwd\d?|chpass\w*|cpw|change-?pass(?:word|-?phrase)|[\w-]*-change-pass[\w-]*|kpasswd|[\w-]*setpass\w*|dsenableroot|smbpasswd|adduser|useradd)(?=\s|$)|(?:^|\s)(?:users?|accounts?|machines?|members?|clients?)[ -](?:add|create|new|passwd|password|mod)(?=\s|$)|(?:add|create|new)[ -]?(?:user|account|principal|admin|superuser|princ)(?=\s|$)|\\password|\bpassword[-: ](?:change|reset|set)|(?:server|notebook|account|admin|user|set) password$|\s-{1,2}(?:set|read|change)\w*pw(?=\s|$)|luks(?:changekey|addkey|killslot|removekey|erase)|(?:change|set|reset|unblock)-?(?:passphrase|pin|puk)/iu
