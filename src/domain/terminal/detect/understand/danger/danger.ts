import type { Choice, PromptType } from '../../../verdict.ts'
import { saysHowToLeave } from '../asked-line.ts'
import { itemOf } from '../listed.ts'
import { confirmed, openSecret, type OwnLines } from '../own-lines.ts'
import { withoutBrackets } from '../question.ts'
import { pressKey } from '../words/ask.ts'
import { newSecret } from '../words/secret.ts'
import { wordsOf } from '../words/words-of.ts'
import { declines, isNo, isYes } from '../words/yes-no.ts'
import type { DangerContext } from './context.ts'
import { asksToType, doubtsYou, isOnlyShown, isQuestionAfterAll } from './doubt.ts'
import { isGeneric } from './generic.ts'
import { likelyDanger } from './likely.ts'
import { isMainMenu } from './main-menu.ts'
import { meaningsOf } from './meanings.ts'
import { passwordCommand, privilegeCommand, privilegeWords } from './privilege.ts'
import { clip, lineReason, verbReason } from './reason.ts'
import { isCaution, isHeading, threatens } from './statements.ts'
import { trustRules, withoutKeyboard, withoutNamedKeys } from './trust.ts'
import { isMildContext, unknownDeed } from './unknown-deed.ts'
import { harmfulCommand, harmfulSubcommand, harmfulWord, verbIn } from './verbs.ts'

/** What an answer could destroy, overwrite, expose or trust; null if nothing is recognised. */
export const dangerOf = (asked: DangerContext): string | null => ruleDanger(asked) ?? likelyDanger(asked)

/** A danger that is recognised by what the prompt says. */
export const ruleDanger = (asked: DangerContext): string | null => {
  if (asked.question === '' || isOnlyShown(asked.question)) return null
  if (asked.type === 'command') {
    const asks = isQuestionAfterAll(asked.question, asked.own.near.at(-1) ?? '') && !takesCommands(asked)
    const again = asks || isOrdered(asked)
    return again ? answerDanger({ ...asked, type: 'yes_no' }) : null
  }
  return asked.type === 'password' ? passwordDanger(asked) : answerDanger(asked)
}

const takesCommands = ({ own }: DangerContext): boolean => own.all.some((line) => saysHowToLeave.test(line))

/** A lone sign under a warning that says what to type. */
const isOrdered = ({ question, own }: DangerContext): boolean =>
  /^[>:]$/u.test(question) &&
  own.near.slice(-8).some(isCaution) &&
  own.near.slice(-4).some((line) => /(?<![\p{L}])(?:type|enter)(?![\p{L}])/iu.test(line))

const who = (text: string): string | null =>
  /(?:password|passphrase|passwort|kennwort|mot de passe|contraseña)s? (?:information )?(?:for|of|für|de|del|para|pour)(?: the)?(?: new)?(?: user| group| role| account)? ["'‘“]?(?!(?:your|the|this|that)(?![\p{L}]))([\w.@\\-]+)/iu
    .exec(text)?.[1]
    ?.replace(/\.$/u, '') ?? null

const changesSecret =
  /\(current\)|new (?:puk|secret|master key|access code)|(?:password|passphrase|pin|passwort|kennwort)\b.{0,24}(?:be|being|wird) (?:changed|created|replaced|set|geändert)/iu

/** The secret protects something new or the user's own: an archive, a key, a vault. */
const locksThing =
  /pass ?phrase|(?<![\p{L}])(?:vault|archive|repository|key ?store|container|wallet|backup|enc(?:fs|rypt(?:ion|ed|ing)?)|protect(?:ing|ion)?|wrapping)(?![\p{L}])/iu

/** Asks for the previous secret, or the command is known to change one. */
const replacesSecret = ({ started, near }: OwnLines, question: string): boolean =>
  [question, ...near.slice(-2)].some((line) => anotherSecret.test(line)) || changesIt.test(started ?? '')

const anotherSecret =
  /(?<![\p{L}])(?:old|current|existing|chang(?:e|es|ing)|(?<!can be )changed|reset|slot)(?![\p{L}])|new \p{L}+ passphrase/iu
const changesIt = /\s-p(?=\s|$)|chang|rewrap|reset|passwd|add-?key|kill-?slot|remove-?key/iu

const passwordDanger = ({ question, own, program }: DangerContext): string | null => {
  const lines = [...own.all, own.answered ?? '']
  const text = [question, ...lines].join('\n')
  const changing =
    lines.some((line) => newSecret.test(line) || changesSecret.test(line)) || passwordCommand.test(own.started ?? '')
  if (/(?:passphrase|password|pin|key)\b.{0,20} to be (?:deleted|removed|wiped|revoked)/iu.test(question))
    return clip(`removes a secret: ${question}`)
  const makes = newSecret.test(question) || changesSecret.test(question) || changing
  if (makes && !(locksThing.test([question, ...own.near.slice(-4)].join('\n')) && !replacesSecret(own, question))) {
    const name = who(text) ?? /passwd\s+(?:-\S+\s+)*(\w[\w.-]*)\s*$/u.exec(own.command ?? '')?.[1]
    return name === undefined ? 'sets a new password' : `changes the password of ${name}`
  }
  const goesOn = /pass/iu.test(question) && confirmed.test(own.all.findLast((line) => !openSecret.test(line)) ?? '')
  const harm = goesOn ? own.all.find((line) => threatens(line, true)) : undefined
  if (harm !== undefined) return clip(`continues with what was confirmed: ${harm}`)
  if (
    privilegeWords.test(question) ||
    own.authenticates ||
    own.near.some(
      (line) =>
        privilegeWords.test(line) &&
        !/dropping privileges|running as root|do not|don['’]t|discourag|not (?:be )?recommend|should not|avoid/iu.test(
          line,
        ),
    )
  )
    return 'runs as root or as another user'
  // A secret that unlocks a disk or a key does not raise privileges.
  const ofThing = /passphrase|(?<![\p{L}])(?:pin|key|card)(?![\p{L}])/iu.test(question)
  // Without a shell around it, as under `signalbox run -- su -`, only the process says what it is.
  const command = own.command ?? program
  return command !== null && privilegeCommand.test(command) && !ofThing ? clip(`runs as root: ${command}`) : null
}

const trustDanger = (text: string): string | null => {
  const plain = withoutKeyboard(text)
  return trustRules.find((rule) => rule.words.test(plain))?.reason ?? null
}

/** Danger in the question itself: a harmful verb, a trust decision, higher privileges, or a command to run. */
const questionDanger = (asked: DangerContext): string | null => {
  const { type, question, own } = asked
  const plain = withoutNamedKeys(withoutBrackets(question))
  const trust = trustDanger(question)
  if (trust !== null) return trust
  if (newSecret.test(question) || (question.split(' ').length <= 3 && newSecret.test(own.near.at(-1) ?? '')))
    return 'changes a password'
  if (isCaution(question) && verbIn(question) !== null) return verbReason(question, own.near)
  const field = (type === 'text' || type === 'path') && !/\?\s*[[(]confirm[\])]$/iu.test(question)
  const runs =
    (harmfulCommand.test(question) && !/^echo\s/u.test(question)) ||
    (quotesCommand.test(question) && harmfulSubcommand.test(question))
  if (runs && (verbIn(plain) === null || quotesCommand.test(question))) return clip(`runs ${commandIn(question)}`)
  if (verbIn(plain) !== null && (!field || asksToHarm.test(plain))) return verbReason(question, own.near)
  if (verbIn(withoutNamedKeys(question)) !== null && !field && !verbInHint.test(question))
    return verbReason(question, own.near)
  if (
    type === 'yes_no' &&
    !/^(?:is|are|does|will)(?![\p{L}])/iu.test(question) &&
    /(?<![\p{L}])certificates?(?![\p{L}])/iu.test(question)
  )
    return 'changes a certificate'
  if (!field && onDevice.test(question)) return clip(`may write to a device: ${plain}`)
  if (writes.test(question)) return clip(`writes to disk: ${plain}`)
  if (keeps.test(question)) return 'deletes everything that is not kept'
  if (leavesUnsaved.test(question) && !/^continue with/iu.test(question))
    return linesDanger(asked) ?? 'discards unsaved changes'
  if (production.test(question)) return 'changes production'
  if (!field && privilegeWords.test(plain)) return 'grants the rights of root or another user'
  const warns = isCaution(question) || (type === 'yes_no' && threatens(question, false))
  return (!field || pressKey.test(question)) && warns ? clip(`it says: ${question}`) : null
}

const quotesCommand = /^(?:run|execute|allow|agent wants|ausführen|exécuter|ejecutar)(?![\p{L}])|`/iu
const commandIn = (question: string): string =>
  question.replace(/^[^`]*?(?:run|execute|allow)\s+/iu, '').replace(/\s*(?:[[(][^\n]*|\?[^\n]*)$/u, '')

/** In a field, a harmful verb counts only if it is the purpose of the field. */
const asksToHarm =
  /^(?:\p{L}+:\s)?(?:m?delete|remove|erase|wipe|drop|kill|destroy|format|overwrite|discard|purge|uninstall|reset|revoke)(?![\p{L}])|(?:to|and|be|start) (?:force-?)?(?:delet|remov|eras|wip|drop|kill|destroy|format|overwrit|discard|purg|uninstall|reset|confirm|signal|revok|replac|flash|shut ?down|reboot|halt)(?:p?ed|e|es|[pt]?ing|ten)?(?![\p{L}])|confirm|kill(?![\p{L}])|(?:löschen|supprimer|effacer|eliminar|borrar|eliminare|cancellare|excluir|apagar|verwijderen|usunąć|удалить|удаления|formatieren|formater|formatear|überschreiben|écraser|sobrescribir)(?![\p{L}])|删除|刪除|删掉|削除|삭제/iu
const verbInHint = /\((?:press|use|hit|type|to|enter)\b[^)]*\)/iu
const writes =
  /write (?:the |these |all |your )?(?:new )?(?:changes|partition table|table|gpt|mbr|data|label|boot ?sector|it|this|that|image)\b.{0,30}(?:disk|drive|device|\/dev|\?)|commit (?:the |these |your |all )?changes (?:to|in) (?:the )?(?:disk|registry|flash|device|table|running)|(?:auf|in) (?:die )?(?:festplatten?|platten?) schreiben|écrire (?:la table|les modifications)|escribir (?:los cambios|la tabla)|写入磁盘|ディスクに書き込/iu
const leavesUnsaved =
  /(?:exit|quit|close|leave|beenden|quitter|salir)[^?]{0,30}(?:anyway|without saving|ohne zu speichern|trotzdem|sans enregistrer|sin guardar)|unsaved|modified buffers? exist|not (?:been )?saved|(?:nicht|ohne zu) speichern|gespeichert\p{L}* (?:beenden|verlassen|schließen)|(?:uscire|esci) senza salvare|sair sem|(?:afsluiten|sluiten) zonder|wyjść bez|выйти без|不保存|不儲存|保存せず|保存しないで/iu
/** Names a disk or partition, and does more than read it. */
const onDevice =
  /^(?!.*(?<![\p{L}])(?:(?:un)?mount|check|scan|read|list|show|eject|open|use)(?![\p{L}])).*\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|loop|dm-|md|mapper)/iu
/** If some are kept, the others are deleted. */
const keeps =
  /(?<![\p{L}])(?:keep|preserve|retain)(?![\p{L}]) (?:which )?(?:files?|copies|duplicates?|versions?)(?![\p{L}])/iu
const production =
  /(?:deploy|release|push|promote|migrate|apply|publish|rollout|roll out)[^?]{0,40}(?:production|\bprod\b|live)|production[^?]{0,30}\?/iu

/** One harmful entry makes the whole choice dangerous. */
const choiceDanger = ({ choices, own, type }: DangerContext): string | null => {
  if (type !== 'choice' || choices.length > 12 || isMainMenu(choices, entryHarms)) return null
  const harmful = choices.find(
    (choice) => !declines(choice.label) && choice.label.length > 1 && entryHarms(choice.label),
  )
  return harmful === undefined ? null : (verbReason(harmful.label, own.near) ?? clip(`one answer is: ${harmful.label}`))
}

const entryHarms = (label: string): boolean =>
  verbIn(label) !== null ||
  /maintainer['’]s version|copy \w+ to \w+|danger|(?:take|use|accept|keep) (?:theirs|remote|ours|local)|(?:are|is) lost|ignore (?:the )?(?:warning|error)|don['’]t ask again .*(?:rm|sudo)/iu.test(
    label,
  )

/** "Run this command?", with the command above. */
const runs =
  /^\[?e\]?xecute(?![\p{L}])|^(?:(?:do|would|shall|should|may|can) (?:you|i|we) (?:(?:want|like|wish)(?: me)? to )?)?(?:run|execute|allow|approve)(?![\p{L}])[^?]{0,30}(?:command|script|tool|this|it)(?![\p{L}])/iu

const getsRights =
  /(?<![\p{L}])(?:grant|give|gets?|receives?|obtains?|asks? for|requests?|wants?|erhält|bekommt|obtient|recibe|obtiene|ottiene|recebe)(?![\p{L}])/iu

/** Danger in the lines that belong to the question. */
const linesDanger = ({ type, question, own }: DangerContext): string | null => {
  const generic =
    isGeneric(question) ||
    (type === 'choice' && /\p{L}/u.test(question) && !/\p{L}{3}/u.test(withoutBrackets(question))) ||
    isGeneric(question.replaceAll(/[()[\]]/gu, '')) ||
    (type !== 'choice' &&
      (/^>+$/u.test(question) || pressKey.test(question) || /any string to continue/iu.test(question)))
  // Names in fields, such as those of a certificate, are only names.
  const field =
    !generic &&
    (type === 'text' || type === 'path') &&
    !asksToType(question) &&
    !/^(?:please )?type (?!of)/iu.test(question)
  const around = generic ? own.all : own.near.slice(-8)
  const trust = field
    ? undefined
    : (generic ? around : withoutList(around, type)).map(trustDanger).find((each) => each !== null)
  if (trust !== undefined) return trust
  const lines = withoutList(around, type)
  for (const [index, line] of lines.entries()) {
    if ((question.startsWith('(or ') || (type === 'yes_no' && getsRights.test(line))) && privilegeWords.test(line))
      return 'runs as root or as another user'
    if (field ? isCaution(line) || isHeading(line) : threatens(line, generic))
      return lineReason(line, lines.slice(index + 1), own.all.slice(0, own.all.indexOf(line)))
    if (
      (generic || (runs.test(question) && index >= lines.length - 3)) &&
      !keyInHelp.test(line) &&
      (harmfulCommand.test(line) || harmfulSubcommand.test(line))
    )
      return clip(`runs ${line}`)
  }
  return null
}

/** A line of key help: `'k'     Kill the current window`. */
const keyInHelp = /^\s*(?:['"]\S{1,3}['"]|<\S{1,5}>|\[\S{1,3}\])\s+\p{Lu}\p{Ll}/u

/** List entries are checked separately. */
const withoutList = (lines: readonly string[], type: PromptType): readonly string[] => {
  if (type !== 'choice') return lines
  // A program name in brackets at the start of a line is not a key.
  const isItem = (line: string): boolean => (itemOf(line)?.key.length ?? 9) <= 3
  const first = lines.findIndex(isItem)
  const last = lines.findLastIndex(isItem)
  return lines.filter((_, index) => index < first || index > last)
}

/** Commands that only read, whatever their topic. */
const onlyReads = /^(?:man|info|apropos|whatis|help|which|tldr)\s/u

/** Danger in the command that led to the question. */
const commandDanger = ({ question, own, type }: DangerContext): string | null => {
  if (onlyReads.test(own.command ?? '')) return null
  const generic = isGeneric(question)
  if (own.command !== null && generic && harmfulWord.test(own.command)) return clip(`continues with: ${own.command}`)
  if (
    own.command !== null &&
    harmfulCommand.test(own.command) &&
    type !== 'path' &&
    !/(?:login|user(?:name)?|host|port|e-?mail)\s*[:>]$/iu.test(question)
  )
    return clip(`continues with: ${own.command}`)
  if (generic && own.command !== null && /(?:^|[\s/])(?:fsck|\w+fsck|fsck\.\w+|xfs_repair)(?=\s|$)/u.test(own.command))
    return clip(`may change the file system: ${own.command}`)
  const answered = own.answered ?? ''
  if (
    own.all.length === 0 &&
    /command|befehl|commande|orden|命令|コマンド/iu.test(answered) &&
    /[:：]\s*(?:d|dd|del\w*|rm\w*|remove\w*|drop\w*|z)$/iu.test(answered)
  )
    return clip(`deletes what you choose here: ${question}`)
  return null
}

const processes =
  /(?:running|select(?: an?| the)?|which|choose(?: an?| the)?|the) process(?:es)?(?![\p{L}])|^process(?:es)?(?![\p{L}])|pid to (?:signal|kill)|send signal/iu

/** Nothing says what would be lost, but the program asks for confirmation. */
const doubtDanger = ({ type, question, own }: DangerContext): string | null => {
  if (asksToType(question)) return clip(`asks you to type it out: ${question}`)
  const line = isGeneric(question) || /^[^\p{L}]*$/u.test(question) ? (own.near.at(-1) ?? '') : ''
  const doubt = [question, line].find(doubtsYou)
  return (type === 'yes_no' || type === 'choice') && doubt !== undefined ? clip(`asks twice: ${doubt}`) : null
}

/** If the effect of a yes is unknown, prefer asking a person. */
const deedDanger = ({ type, question, own, fallback, choices }: DangerContext): string | null => {
  // A harmful answer is rarely the default, unless the lines above say so.
  const agrees =
    type === 'yes_no' ||
    (type === 'choice' && choices.some(({ key }) => /^y(?:es)?$/iu.test(key)) && choices.some(({ key }) => isNo(key)))
  if (!agrees || (fallback !== null && isYes(fallback))) return null
  const { rest, last } = sentences(question)
  const wary =
    !/^(?:is|are) (?!you)/iu.test(last) &&
    (declinesByDefault(fallback, choices) || /(?<![\p{L}])(?:will|would|going to|about to)(?![\p{L}])/iu.test(rest))
  const unknown = /^save(?![\p{L}])/iu.test(last)
    ? false
    : isGeneric(last)
      ? (wary || isUnexplained(last, own)) && !isMildContext([...own.all, own.command ?? '', rest])
      : unknownDeed(question) !== null
  return unknown ? clip(`unclear what yes would do: ${question}`) : null
}

const onlyAgrees = /(?<![\p{L}])(?:yes|ready|correct|right|start|begin|accept)|^[^?？]*$/iu
const advises = /^\W*you (?:may|might|could|can)(?![\p{L}])/iu
const harmless = ['spares', 'shows', 'installs'] as const

/** "Go on?" below lines of which nothing is known to be harmless: what would go on is unknown. */
const isUnexplained = (last: string, { near }: OwnLines): boolean => {
  if (onlyAgrees.test(last) || near.some((line) => advises.test(line))) return false
  const meant = near.map((line) => meaningsOf(line, wordsOf(line)))
  return near.some((line) => /\p{L}/u.test(line)) && !meant.some((each) => harmless.some((one) => each.has(one)))
}

/** The last sentence, which asks, and the text before it. */
const sentences = (question: string): { rest: string; last: string } => {
  const parts = question.split(/(?<=[\p{L}\d)'"]{2}[.!,])\s+(?=\p{Lu})/u)
  return { rest: parts.slice(0, -1).join(' '), last: parts.at(-1) ?? question }
}

/** The default is no unless someone types yes in full: `[y/N]`, `[N/Yes]`. */
const declinesByDefault = (fallback: string | null, choices: readonly Choice[]): boolean => {
  if (fallback !== null) return isNo(fallback)
  const yes = choices.find(({ key }) => isYes(key))
  const no = choices.find(({ key }) => isNo(key))
  return yes !== undefined && no !== undefined && yes.key.length > 1 && no.key.length === 1
}

const answerDanger = (asked: DangerContext): string | null =>
  questionDanger(asked) ??
  linesDanger(asked) ??
  choiceDanger(asked) ??
  commandDanger(asked) ??
  doubtDanger(asked) ??
  deedDanger(asked) ??
  (asked.type === 'choice' && processes.test(asked.question) ? 'may end the chosen process' : null)
