import { lexicon, type Lexicon } from '../words/lexicon.ts'
import { trustWords } from './trust-words.ts'

type Rule = { words: Lexicon; reason: string }

/** Keys of the keyboard. */
const keyboard =
  /(?<![\p{L}])(?:arrow|cursor|delete|del|backspace|enter|return|tab|escape|esc|control|ctrl|alt|meta|function|space|shift|any|up|down|left|right|page|home|end|hot|[a-z]) keys?(?![\p{L}])(?! anyway)/giu

export const withoutKeyboard = (text: string): string => text.replace(keyboard, ' ')

/** `Use the Delete key for it?`: names a key, not an action. */
export const withoutNamedKeys = (text: string): string =>
  text.replaceAll(
    /(?<![\p{L}])(?:use|press|hit|with|the|bind|map) (?:the )?(?:delete|del|backspace|insert|clear|reset|kill|end) keys?(?![\p{L}])/giu,
    ' ',
  )

/** Decisions about whom to trust. */
export const trustRules: readonly Rule[] = [
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
    reason: 'trusts a key or a package whose origin it cannot check',
  },
  {
    words: lexicon(
      [
        String.raw`(?:do you )?(?:fully )?trust (?:the|this|these|all|that|his|her|it|files|contents|author\w*|workspace|folder|host|device|server|site|source|signer|publisher|repository|\w+'s)|trust (?:always|temporarily|once|permanently)|always trust|(?:is|are) not (?:yet )?trusted|(?:not|un|is) ?trusted(?: yet)?[.:]? trust|unknown (?:publisher|author|signer|issuer|developer)|trusted (?:folder|workspace|device)|(?:local|root|custom|new|this|the|private) ca(?: certificate)?|certificate authority|trust ?store|pair(?:ing)? (?:with|request)|accept pairing|confirm passkey|authorize (?:service|device)|allow (?:remote|root|incoming|external|unauthenticated|anonymous|public|inbound|guest|everyone|anyone|all)(?: \w+)?|open(?:ing)? (?:the )?port(?! number)s?|to (?:all ?users|everyone|anyone|0\.0\.0\.0\S*)|two-factor|expos(?:e|es|ing)(?= )`,
        ...trustWords.trust.spaced,
      ],
      trustWords.trust.unspaced,
    ),
    reason: 'trusts what it names permanently',
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
    reason: 'changes what protects this system',
  },
]
