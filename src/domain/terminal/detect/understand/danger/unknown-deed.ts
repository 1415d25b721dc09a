import { withoutBrackets } from '../question.ts'

const asksToDo =
  /^(?:[^\p{L}]*)(?:(?:do|would|should|shall|may|can|will|want) (?:you|i|we|me|us)? ?(?:really |still |also )?(?:want|like|wish|care)?(?: (?:me|us|signalbox|it))? ?(?:to )?)?(?:\p{L}+ (?:attempt|try) to )?(?:please |really |now |also |ok to |okay to |ready to )?(\p{L}[\p{L}-]*)/iu

/** A state of things is asked about, not whether to do something. */
const asksHowItIs =
  /^[^\p{L}]*(?:is|are|was|were|does|did|has|have|had|what|which|who|whose|where|when|how|why|any|no|not|new|first|second|third|next|last|other|your|the|a|an|this|that|these|there)(?![\p{L}])/iu

/** "Do you want HTTPS?", "Do you know C?" */
const asksForThing =
  /^[^\p{L}]*(?:do|would) you (?:(?:want|like|prefer) (?!to(?![\p{L}])|me to|us to|it to)|know|have|need|see|remember|understand)/iu

const notAVerb = /^(?:your|the|an?|it|its|this|that|these|those|there|my|our|any|all|both|to)$/u
const turnsOff =
  /^[^\p{L}]*(?:stop|disable|turn off)\s+(?:asking|watching|telemetry|colou?rs?|sounds?|hints?|tips|notifications?|analytics|animations?)/iu

/** What can be done again, or taken back, or only looks. */
const mild = new Set(
  `abort write mount bump commit keep push sync wrap zoom get mget put mput rate count another more next same sure ready activate add again agree announce answer append archive ask assemble assume authenticate auto begin bookmark browse build cache calculate call cancel check checkout choose clone close collect color compare compile complete compress compute configure confirm connect consider continue copy correct create customize debug decide define describe deploy detect diff disagree display do download duplicate edit email enable enter enroll evaluate examine exclude exit expand explain explore export extract fetch filter find finish follow generate get go grep group guess have help hide highlight host identify ignore include increase index indent init inspect install instructions introduce invite join jump launch learn leave let list listen load log login look make measure merge minimize monitor name need negotiate notify note number obtain ok okay open opt optimize order organize participate paste pause pick pin ping play please plot post prefer prepare preview print proceed profile prompt provide pull put query quit read receive reload recommend reconnect record refresh remember rename render repeat report request rerun restart run shelve stash resume retry return review revisit sample save scan schedule search see select send set setup share show simulate skip slow sort specify speed stage start subscribe submit suggest sum support tag talk test tell time toggle trace track translate try turn type understand unpack unzip update upgrade use validate verify view visit wait walk want warn watch work yes zip`.split(
    /\s+/u,
  ),
)

const foreign =
  /(?<![\p{L}])(?:der|die|das|den|dem|ein|eine|sie|soll(?:en)?|wollen|jetzt|und|oder|le|la|les|une?|du|des|et|vous|el|los|las|una|que|il|gli|della?|di|os|uma|deseja|vuoi|desea|um|novo|nova|wilt|het|een|czy|chcesz|aprire|criar)(?![\p{L}])|[([](?:[jost]\/n|n\/[jost]|ja\/\p{L}+|oui\/non|s[iì]\/no|sim\/\p{L}+|tak\/nie)[)\]]/iu

/** What it asks to do, where nobody can say that it is mild; null where it is, or where nothing is to be done. */
export function unknownDeed(question: string): string | null {
  // Other languages have verbs that are not listed here.
  if (/[^ -~‘’“”…]/u.test(question) || foreign.test(question)) return null
  const plain =
    withoutBrackets(question)
      .trim()
      .split(/[.!;:] +(?=\S)/u)
      .at(-1) ?? ''
  if (!/[?？]/u.test(plain) || asksHowItIs.test(plain)) return null
  if (turnsOff.test(plain) || /(?<![\p{L}])(?:licen[cs]e|terms|agreement)(?![\p{L}])/iu.test(plain)) return null
  // Checkers of file systems shout what they would do: `RECONNECT?`
  if (/^\p{Lu}{4,}\s*\?/u.test(plain)) return plain
  if (asksForThing.test(plain)) return null
  if (/^[^\p{L}]*turn(?: \S+){0,3} off(?![\p{L}])/iu.test(plain)) return 'turn off'
  const verb = asksToDo.exec(plain)?.[1]?.toLowerCase()
  if (verb !== undefined && (notAVerb.test(verb) || verb.endsWith('ed'))) return null
  return verb === undefined || !/^[a-z-]{3,}$/u.test(verb) || mild.has(verb) ? null : verb
}

const mildContext =
  /(?<![\p{L}-])(?:(?:(?:re)?install|upgrad|updat|download|fetch|creat|generat|correct|licen[cs]|deploy|build|add|enabl|configur|scan|send|start|clon|import|initiali[sz]|merg)(?:e|es|ed|s|ing|d|ion|ions|ation|ations|ment)?|terms|agree|agreement|log ?in|sign ?in|set ?up|setting up)(?![\p{L}])/iu

/** The words around a question say that it is about nothing worse. */
export const isMildContext = (lines: readonly string[]): boolean =>
  lines.every((line) => line === '') || lines.some((line) => mildContext.test(line))
