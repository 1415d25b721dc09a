/** `[P] Yes, prepend  [A] Yes, append  [N] No` */
export const keyed = /(?:^|[\s[/])[[(][\p{L}\d?]{1,2}[\])]\s?\p{L}/gu
/** `Express Install [1], Custom Install [2, Enter]` */
export const trailed = / \[\w(?:, Enter)?\](?=,|$)/giu
/** `[ view (return) | skip (Ctrl-D) | quit (Ctrl-C) ]` */
export const barred = /\[\s[^[\]|]{1,40}\|[^[\]|]{1,40}\|[^[\]|]{1,40}\]$/u
/** `Are the details correct? [Y/n/q]`, `OK? [return = YES | Esc = NO]` */
export const answers = /[[(][^[\]()]{1,60}(?:[/|,]| or )[^[\]()]{1,60}[\])]\s*[?:]?\s*(?:\\c)?$/u
export const question = /\?|^\W*[[(][^[\]()]+[\])]\s*[?:]/u

export const yesInWords =
  /^\W*(?:please )?(?:write|type|enter|answer|say) ["'‘“]?y(?:es)?["'’”]? or ["'‘“]?no?["'’”]?[.:]?$/iu
export const yesOrNo =
  /(?:\?|^\p{Lu}[^.:?]{2,50}(?<=\p{L}))\s*[[(](?:y(?:es)?\s?[/|]\s?no?|no?\s?[/|]\s?y(?:es)?)[\])]\s*:?$|\?\s+y(?:es)?\/no?(?:\s*\([^()]*\))?$/iu
/** Questions that never appear in logs. */
export const surely =
  /^(?:[^?]{0,60}[.!]\s+)?\W*(?:are you (?:really |absolutely |quite )?(?:sure|certain)|do you (?:really )?(?:want|wish)|would you like|which \S.{0,40} do you want)(?!\p{L}).{0,100}\?$/iu

export const readsInput =
  /^\W*(?:[\p{L} ]{2,20}: )?(?:reading|waiting for|enter|type|paste)\b.{0,60}\b(?:(?:from|on|at) (?:stdin|standard input|the terminal|your keyboard)|(?:end|finish|terminate)\w* (?:with|by|using) .{0,20}(?:ctrl|control|\^|eof|end-of-file))/iu
export const order = /^\W*(?:please,? )(?:enter|type|input|paste|choose|select|pick|specify|provide|write)\b/iu
/** Questions can end log lines too, but logs never tell anyone to type something. */
export const wants =
  /(?:^|\s--\s)\W*(?:enter|type|input|paste|choose|select|pick|specify|provide|give (?:me|us|your|the|an?))\b.*:(?:\s\[[^[\]]{1,20}\])?$/iu

/** Input at a numbered prompt: `(%i1) integrate(x^n, x);` */
export const counted = /^[([]?%?[a-z ]{0,4}\[?\d+[\])]{1,2}[:>]?\s\S/iu

/** Some programs put the time before each line of output. */
export const stamp = /^\[\d\d:\d\d(?::\d\d)?\]:?\s/u
/** A hidden answer leaves its question visible. */
export const hidden =
  /pass(?:word|phrase|code)|passwor|kennwort|mot de passe|contrase|token|secret|\bpin\b|密码|パスワード/iu

/** Programs that show the output of others and read no answer to it. */
export const shows =
  /(?:^|[;|&]\s*)(?:tail|cat|less|echo|printf|watch|journalctl|dmesg|grep|rg|sleep|(?:docker|podman|kubectl|oc|pm2|heroku) (?:\S+ )?logs?)(?![\p{L}-])/u

/** An entry of a list to choose from. */
export const entry = /^\s*(?:[[(]?\d{1,2}[\]).]\s\S|\d{1,2}\s{2,}\S|\p{L}\.\s\S|[[(]\p{L}[\])]\p{L})/u
