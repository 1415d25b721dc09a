import { lexicon, type Lexicon } from '../words/lexicon.ts'
import { harmWords, type Harm } from './harm-words.ts'

/** One kind of harm: its words, and what it does to its object. */
export type Verb = { does: string; words: Lexicon }

/** Takes the English words; those of other languages are in their own table. */
const verb = (does: string, english: readonly string[]): Verb => {
  const others = isHarm(does) ? harmWords[does] : { spaced: [], unspaced: [] }
  return { does, words: lexicon([...english, ...others.spaced], others.unspaced) }
}

const isHarm = (does: string): does is Harm => Object.hasOwn(harmWords, does)

/** Verbs that destroy, overwrite or end something, in many languages; the first match is reported. */
export const verbs: readonly Verb[] = [
  verb('uninstalls', ['un-?install(?:s|ing)?', '(?<=be )uninstalled', 'unmerge']),
  verb('deletes', [String.raw`m?delet(?:e|es|ing|ed|ion)|(?<=^|[>:$#] )del(?= \S)`]),
  verb('removes', [
    String.raw`(?:auto-?)?remov(?:e|es|ing|ed|al)`,
    'unlink',
    'rmdir',
    'tear ?down',
    'evict',
    'expunge',
    'trash(?:es|ing)?(?= )',
    'retire(?:s)?(?= )',
    'archiv(?:e|ing)(?= (?:repo|project|channel|the|this|all))',
    'forget(?:s|ting)?',
    'move[^?]{0,40} to (?:the )?(?:trash|rubbish|wastebasket|recycle bin|bin)',
    '(?:un|de-?)(?:register|provision|commission|enroll|allocate|authorize|publish)',
  ]),
  verb('erases', [
    String.raw`eras(?:e|es|ing|ed)|wip(?:e|es|ing|ed)|shred|zero(?:es)? out|scrub|sanitize|nuke|zap(?:s|ping)?|vapori[sz]e|annihilate|blank(?:s|ing)?(?: out)?(?= (?:the |this )?(?:disc|disk|media|cd|dvd|mbr|gpt|device|drive|tape))|blank out|obliterate|low-?level format`,
  ]),
  verb('overwrites', [
    String.raw`(?:over|re)writ(?:e|es|ing|ten)|writ(?:e|es|ing|ten) over(?= (?:an?|the|this|that|it|them|your|existing|old)\b)|clobber|supersede`,
  ]),
  // `replace with`, without an object between, replaces words in a text.
  verb('replaces', [String.raw`replac(?:e|es|ing|ed)(?! with )`]),
  verb('destroys', [String.raw`destr(?:oy|oys|oying|oyed|uction|uctive)`]),
  verb('drops', [String.raw`drop(?:s|ping|ped)?(?![ -]?down)`, String.raw`truncat(?:e|es|ing|ed)`]),
  verb('discards', [
    String.raw`discard(?:s|ing|ed)?|throw(?:ing)?(?: \w+)? away|abandon|los(?:e|es|ing)|revert(?:s|ing)?|roll(?:ing)? ?back|undo(?= (?:the|this|that|last|all|your|these|\d))|thr(?:ow|own|owing) out|leave(?:s)? (?:them|it|these) behind|start(?:ing)? (?:over|fresh)|stash drop|scrap`,
  ]),
  verb('detaches', [
    String.raw`detach(?:es|ing)?|disconnect(?:s|ing)?|unpair|disassociate|dissociate|unassign|unbind|un-?share|unsubscribe|be disconnected`,
  ]),
  verb('ends, stops or locks out:', [
    String.raw`ban(?:s|ning)?(?= )|log ?out (?:all|every|other)|sign ?out (?:all|every|other)|(?:mark|close)[^?]{0,20} as (?:closed|spam|junk|deleted)|kick|lock (?:out|user|account)|suspend (?:user|account|the|this|service|instance)|decommission|evacuate|drain(?: node)?|cordon`,
    String.raw`(?:deactivate|disable|close|cancel)(?: (?:the|this|your|all|\d+|user))* (?:[\w-]+ )?(?:account|user|licen[cs]e|subscription|service|backups?|monitoring|alerts?|logging|auditing|quota|key|rule|plan|order|job|instance|server|cluster|domain)s?`,
    String.raw`stop(?:s|ping)? (?:all|the|this|these|\d+)(?: [\w-]+){0,2} (?:instance|container|service|server|vm|machine|cluster|database|job|process|pod|node|daemon)(?:e?s)?|^(?:really )?stop (?!\w+ing\b)[\w.@-]+(?: now)?(?=\s*\?)|scale[^?]{0,40} to (?:0|zero)`,
  ]),
  verb('hands over control or secrets:', [
    String.raw`transfer ownership|hand(?:ing)? over|take over|fail ?-?over|switch ?-?over|demot(?:e|es|ing)|promote (?:replica|standby|node|secondary|to primary)|swap (?:the )?(?:live|production|primary|slots?)|leave the (?:cluster|pool|domain|organi[sz]ation|team)|as (?:an? |the )?(?:owner|admin)`,
    String.raw`(?:upload|send|share|export|print|reveal|show|copy)\b[^?]{0,30}\b(?:private|secret) keys?`,
  ]),
  verb('breaks or rewrites:', [
    String.raw`(?:free|release)(?: up)?(?: \d+| the| all| this)?(?: \w+)? (?:ip|address(?:es)?|reservations?|allocations?)|cut [^?]{0,20}over|(?:break|steal|clear|ignore)(?: the| this| all| these)? (?:stale )?(?:locks?|them)(?![\p{L}])|force-?unlock|unlock (?:the )?bootloader|voids?|interrupt(?:s|ing)?|amend(?:s|ing)?|squash(?:es|ing)?|rebase(?:s)?(?= (?:and|onto|\d|published|pushed))|re-?write history`,
  ]),
  verb('may cut off data:', [
    String.raw`retention|skip (?:the |this )?backup|(?:shrink|reduce|resize|convert|defragment|migrate)(?:s)?(?: the| this)? (?:partition|volume|file ?system|disk|array|pool|table)`,
  ]),
  verb('expires', [String.raw`expire(?= (?:\d|all|old|the|these|this|every))`]),
  verb('downgrades', [String.raw`downgrad(?:e|es|ing|ed)`]),
  verb('invalidates keys or tokens:', [
    String.raw`(?:rotat|regenerat|renew|re-?generat|reissu)(?:e|es|ing)\b[^?]{0,40}(?:keys?|tokens?|secrets?|credentials?|certificates?|codes)(?![\p{L}])|invalidat(?:e|es|ing|ed)|(?:will )?stop working`,
  ]),
  verb('overwrites existing data:', [
    String.raw`initiali[sz]e(?= (?:the |this )?(?:physical|disk|drive|device|volume|card|tape|media|partition|["'‘“]?\/dev))|re-?creat(?:e|es|ing|ed)(?! (?:symlink|link))|re-?install(?= over)|(?<!(?:what|which)[^?]{0,30} to )restor(?:e|es|ing|ation)(?![ed]| which|(?: \p{L}+){0,3} (?:session|window|tab|layout|buffer|cursor|history)s?(?![\p{L}]))|salvage|(?:fix|repair)(?=\s*(?:<[yn]>|\?))|repair (?:the |this )?(?:table|database|file ?system|index|volume)`,
  ]),
  verb('formats', [
    String.raw`(?:re)?format(?:s|ting|ted)?(?= (?:the|this|that|your|all|disk|drive|partition|volume|device|card|usb|it\b|\/|[A-Z]:|['"‘“\/]))`,
    String.raw`reformat|(?:re)?formatted|mkfs(?:\.\w+)?|repartition(?:s|ed|ing)?|(?:construct|make|create|build)s? a (?:new )?file ?system`,
  ]),
  verb('kills', [
    String.raw`kill(?:s|ing|ed|-\w+)?|send sig(?:kill|term|int|hup)|log ?(?:off|out) user|terminat(?:e|es|ing|ed)|end (?:the )?(?:task|process|session)s?|force[- ]?(?:quit|stop|close)`,
  ]),
  verb('purges', [
    String.raw`purg(?:e|es|ing|ed)|prun(?:e|es|ing|ed)|flush(?:es|ing)?|clean(?:s|ing|ed)?(?: ?up)?(?! (?:install|build))|vacuum|garbage[- ]collect`,
  ]),
  verb('resets', [
    String.raw`reset(?:s|ting)?|(?:restore|revert to)(?: the)? defaults?(?: settings| configuration)?|load defaults|factory (?:defaults|reset|settings)|re-?initiali[sz]e(?![^?]{0,60} with new settings)|reimage`,
  ]),
  verb('clears', [
    String.raw`clear(?:s|ing|ed)?(?! (?:the |this )?(?:screen|display|terminal|console|filter|search|selection))|empt(?:y|ies|ying)(?= (?:the|trash|recycle|all|bin))`,
  ]),
  verb('forces', [String.raw`forc(?:e|es|ing|ibly)|override`]),
  verb('revokes', [String.raw`revok(?:e|es|ing|ed)|(?<=with (?:the )?)revocation`]),
  verb('flashes', [
    String.raw`flashing|(?:re)?flash(?:es|ing)?(?= (?:the|this|it|new|firmware|bios|image|device|rom|bootloader|\/|now))|burn (?:the )?image`,
  ]),
  verb('may overwrite files when extracting:', ['extract(?= [\'"‘“])']),
  verb('stops everything running on this machine:', [
    String.raw`reboot|restart(?= (?:now|the (?:system|machine|computer|server|host|database|cluster|network)|this (?:machine|computer)))|proceed with (?:the )?(?:reload|restart)|shut ?down|power ?off|halt the`,
  ]),
]

/** The harmful verb in a text, and its position. */
export const verbIn = (text: string): { does: string; from: number; to: number } | null => {
  for (const { does, words } of verbs) {
    const match = words.exec(text)
    // `removed-2023.iso` is a file name.
    if (
      match !== null &&
      !/(?:^|[\s"'])[~.]?\/\S*$/u.test(text.slice(0, match.index)) &&
      !/^[-_.][\w-]*[\d.]\w/u.test(text.slice(match.index + match[0].length))
    )
      return { does, from: match.index, to: match.index + match[0].length }
  }
  return null
}

/** Harmful commands, as they would be typed. */
export const harmfulCommand =
  /(?:^|[\s;|&<`"'‘“(:])(?:sudo\s+)?(?:rm(?=\s|$|[:?])|rmdir(?=\s|:)|shred(?=\s)|dd\s+(?:if|of)=|mk(?!squash)\w{0,8}fs(?:\.\w+)?(?=\s)|wipefs(?=\s)|find\s.*-delete|fdisk(?=\s)|kill(?:all)?\s+-?\w|pkill\s|truncate\s+-|git\s+(?:push\s+.*(?:--force|-f\b)|reset\s+--hard|clean\s+-|checkout\s+(?:--|\.)|branch\s+-D|restore\s|stash\s+(?:drop|clear)|filter-branch)|drop\s+(?:table|database|schema|user|index|role|view)|delete\s+from|truncate\s+table|chmod\s+(?:-R|[0-7]{3,4})|chown\s+-R|mv\s|>\s*\/(?:dev|etc)\/|kubectl\s+(?:delete|drain|scale|replace|rollout\s+undo)|update\s+\S+\s+set\s|alter\s+(?:table|user|role)|grant\s+\S+\s+(?:on|to)\s|docker[ -]compose\s+(?:down|rm)|systemctl\s+(?:stop|disable|mask|kill)|git\s+(?:rebase|commit\s+--amend|push\s+\S+\s+\+)|npm\s+(?:un)?publish|helm\s+(?:uninstall|rollback)|docker\s+(?:rm|rmi|system\s+prune|volume\s+rm|image\s+prune)|terraform\s+destroy|curl\s.*\|\s*(?:sudo\s+)?(?:ba|z)?sh|wget\s.*\|\s*(?:sudo\s+)?(?:ba|z)?sh|:\(\)\s?\{|del\s+\/|format\s+[A-Z]:|Remove-Item|shutdown(?=\s)|reboot(?=\s|$)|useradd\s|userdel\s|passwd(?=\s|$)|visudo)/iu

/** A tool with a subcommand that deletes something. */
export const harmfulSubcommand =
  /(?:^|[`"'‘“$>:])\s*(?:sudo )?[a-z][\w.-]*(?: [a-z][\w-]*)? (?:delete|destroy|remove|rm|purge|prune|uninstall|drop|wipe|erase|terminate|rollback|revoke)(?:-[a-z-]+)?(?: [^\s.]|$|`)/u

/** Words in a typed command that make its questions dangerous. */
export const harmfulWord =
  /(?:^|[\s;|&])(?:sudo\s+)?(?:rm|rmdir|shred|dd|mkfs\S*|mk(?!squash)\w{0,8}fs|mke2fs|wipefs|kill|killall|pkill)(?=\s|$)|(?:^|[\s_-])(?:delete|del|remove|rm|erase|uninstall|purge|prune|destroy|drop|wipe|format|reset|clean|truncate|revoke|force|overwrite|kill|terminate|teardown|luksformat|zap|nuke|unregister|rollback|restore|reimage)(?=[\s_=-]|$)/iu
