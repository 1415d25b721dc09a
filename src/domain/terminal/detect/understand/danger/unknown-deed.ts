import { withoutBrackets } from '../question.ts'

const asksToDo =
  /^(?:[^\p{L}]*)(?:(?:do|would|should|shall|may|can|will|want) (?:you|i|we|me|us)? ?(?:really |still |also )?(?:want|like|wish|care)?(?: (?:me|us|signalbox|it))? ?(?:to )?)?(?:\p{L}+ (?:attempt|try) to )?(?:please |really |now |also |ok to |okay to |ready to )?(\p{L}[\p{L}-]*)/iu

/** Asks about a fact, not whether to do something. */
const asksHowItIs =
  /^[^\p{L}]*(?:is|are|was|were|does|did|has|have|had|what|which|who|whose|where|when|how|why|any|no|not|new|first|second|third|next|last|other|your|the|a|an|this|that|these|there)(?![\p{L}])/iu

/** "Do you want HTTPS?", "Do you know C?" */
const asksForThing =
  /^[^\p{L}]*(?:do|would) you (?:(?:want|like|prefer) (?!to(?![\p{L}])|me to|us to|it to)|know|have|need|see|remember|understand)/iu

const notAVerb = /^(?:your|the|an?|it|its|this|that|these|those|there|my|our|any|all|both|to)$/u
const turnsOff =
  /^[^\p{L}]*(?:stop|disable|turn off)\s+(?:asking|watching|telemetry|colou?rs?|sounds?|hints?|tips|notifications?|analytics|animations?)/iu

/** Actions that can be repeated or undone, or that only read. */
const mild = new Set(
  `accept initialize initialise abort activate add again agree announce another answer append archive ask assemble assume attach authenticate auto begin benchmark book bookmark boot bootstrap bring broadcast browse build bump bundle cache calculate call cancel capture change chart chat check checkout choose cite classify clone close collapse collect color colorize colour combine comment commit compare compile complete compress compute concatenate configure confirm connect consider consult contact continue contribute copy correct correlate count create crop curl customize cycle debug decide decode decompress decrypt deduce defer define demonstrate deploy derive describe detect dial diff disagree discover discuss dismiss display do document donate download draw duplicate echo edit elaborate email embed emit emulate enable encode encrypt enroll ensure enter estimate evaluate examine exclude exit expand explain explore export extend extract feature feed fetch figure fill filter find finish focus fold follow fork forward frame gather generate get give go grab graph greet grep group guess handle hash have hear help hide highlight host identify ignore import include increase indent index init insert inspect install instructions integrate introduce invite invoke iterate join jump keep know label launch learn leave let lift lighten link lint list listen load localize log login look lookup lower magnify make map match measure meet mention merge mget minify minimize mix model monitor more mount mput mute name narrow navigate need negotiate next normalize note notify number observe obtain offer ok okay omit open opt optimize order organize orient output pad page paint pan parse participate pass paste pause peek permute persist photograph pick picture pin ping place plan play please plot point poll populate position post practice predict prefer preload prepare prepend present press preview print proceed process produce profile program progress prompt propose protect provide pull pursue push put query quit quote raise randomize range rank rate reach react read ready realign recall receive recheck recommend recompile reconnect reconsider record redeploy redirect redo redraw refer reflow refresh register regroup reindex relate relaunch reload remap remember remind rename render reopen reorder repaint repeat replay reply report repost reprint request rerun rescan research reserve reshape resolve respawn respond restart restyle resubmit resume resync retain retest rethink retry return reupload reuse review revisit round route run same sample save scaffold scale scan schedule score scroll search see select send sequence set setup share shelve show simulate sing sketch skip slow snapshot solve sort spawn speak specify speed spell split sponsor stack stage star start stash state stay step store stream stretch study style submit subscribe suggest sum summarize support sure surf survey switch sync synthesize tabulate tag tail take talk tell test think tile time toggle tour trace track train transcode transcribe transform translate transmit travel triage try tweak tune turn type underline understand unfold unhide unite unmute unpack unpause unstage unzip update upgrade upload upvote use utilize validate verify view visit visualize voice vote wait wake walk want warm warn watch weigh whisper widen win work wrap write yes yield zip zoom`.split(
    /\s+/u,
  ),
)

const foreign =
  /(?<![\p{L}])(?:der|die|das|den|dem|ein|eine|sie|soll(?:en)?|wollen|jetzt|und|oder|le|la|les|une?|du|des|et|vous|el|los|las|una|que|il|gli|della?|di|os|uma|deseja|vuoi|desea|um|novo|nova|wilt|het|een|czy|chcesz|aprire|criar|cette|ces|salvar|guardar|gravar|sauver|enregistrer|speichern|salvare)(?![\p{L}])|[([](?:[jost]\/n|n\/[jost]|ja\/\p{L}+|oui\/non|s[iì]\/no|sim\/\p{L}+|tak\/nie)[)\]]/iu

/** The action a question asks about, if it is not known to be harmless; null if it is, or if there is none. */
export function unknownDeed(question: string): string | null {
  // Verbs of other languages are not listed here.
  if (/[^ -~‘’“”…]/u.test(question) || foreign.test(question)) return null
  const plain =
    withoutBrackets(question)
      .trim()
      .split(/[.!;:] +(?=\S)|, +(?=\p{L}+(?: \p{L}+)?\s*\?)| -- /u)
      .at(-1) ?? ''
  if (!/[?？]/u.test(plain) || asksHowItIs.test(plain)) return null
  if (turnsOff.test(plain) || /(?<![\p{L}])(?:licen[cs]e|terms|agreement)(?![\p{L}])/iu.test(plain)) return null
  // File system checkers print the action in capitals: `RECONNECT?`
  if (/^\p{Lu}{4,}\s*\?/u.test(plain)) return plain
  if (/(?<![\p{L}])cookies?(?![\p{L}])/iu.test(question)) return null
  if (
    asksForThing.test(plain) ||
    /^[^\p{L}]*(?:should|shall|can|may) (?:the |this |these )?\S+ be(?![\p{L}])/iu.test(plain)
  )
    return null
  if (/^[^\p{L}]*turn(?: \S+){0,3} off(?![\p{L}])/iu.test(plain)) return 'turn off'
  const verb = asksToDo.exec(plain)?.[1]?.toLowerCase()
  if (verb !== undefined && (notAVerb.test(verb) || verb.endsWith('ed'))) return null
  return verb === undefined ||
    !/^(?:(?:re|un|de|auto|force)-)?[a-z]{3,}$/u.test(verb) ||
    mild.has(verb) ||
    verb === 'clear'
    ? null
    : verb
}

const mildContext =
  /(?<![\p{L}-])(?:(?:(?:re)?install|upgrad|updat|download|fetch|creat|generat|correct|licen[cs]|deploy|build|add|enabl|configur|scan|send|start|launch|provision|clon|import|initiali[sz]|merg)(?:e|es|ed|s|ing|d|ion|ions|ation|ations|ment)?|terms|agree|agreement|log ?in|sign ?in|set ?up|setting up)(?![\p{L}])|installier|aktualisier|herunterl[aä]d|télécharg|mis(?:e)? à jour|instal(?:a|l)|descarg|actualiz|установ|загру[зж]|обнов|安装|安裝|下载|下載|更新|升级|インストール|ダウンロード|アップ(?:デート|グレード)|설치|다운로드/iu

/** The lines around a question show that its action is harmless. */
export const isMildContext = (lines: readonly string[]): boolean =>
  lines.every((line) => line === '') || lines.some((line) => mildContext.test(line))
