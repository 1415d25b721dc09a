import { withoutBrackets } from '../question.ts'

const asksToDo =
  /^(?:[^\p{L}]*)(?:(?:do|would|should|shall|may|can|will|want) (?:you|i|we|me|us)? ?(?:really |still |also )?(?:want|like|wish|care|prefer)?(?: (?:me|us|signalbox|it))? ?(?:to )?)?(?:please |really |now |also |ok to |okay to |ready to )?(\p{L}[\p{L}-]*)/iu

/** A state of things is asked about, not whether to do something. */
const asksHowItIs =
  /^[^\p{L}]*(?:is|are|was|were|does|did|has|have|had|what|which|who|whose|where|when|how|why|any|no|not|new|first|your|the|a|an|this|that|these|there)(?![\p{L}])/iu

const notAVerb = /^(?:your|the|an?|it|its|this|that|these|those|there|my|our|any|all|both|to)$/u
const turnsOff =
  /^[^\p{L}]*(?:stop|disable)\s+(?:asking|watching|telemetry|colou?rs?|sounds?|hints?|tips|notifications?|analytics|animations?)/iu

/** What can be done again, or taken back, or only looks. */
const mild = new Set(
  `abort accept activate add again agree allow announce answer append apply archive ask assemble assume attach authenticate auto bind boot begin bookmark browse build cache calculate call cancel check checkout choose clone close collect commit color compare compile complete compress compute configure confirm connect consider continue convert copy correct create customize debug decide define describe deploy detect diff disagree display do download duplicate edit email enable enter enroll evaluate examine exclude exit expand explain explore export extract fetch filter find finish fix follow generate get go grep group guess have help hide highlight host identify ignore import include increase index indent init initialize inspect install instructions introduce invite join jump keep launch learn leave let list listen load log login look make mark measure merge minimize monitor mount move name need negotiate notify note number obtain ok okay open opt optimize order organize participate paste pause pick pin ping play please plot post prefer prepare preview print proceed process profile prompt provide pull put query quit read rebuild receive reload recommend reconnect record refresh register remember rename render repeat report request rerun restart resize resume retry return reuse review revisit run sample save scan schedule search see select send set setup share show sign simulate skip slow sort specify speed stage start store subscribe submit suggest sum support switch sync tag take talk test tell time toggle trace track translate transfer try turn type understand unpack unzip update upgrade upload use validate verify view visit wait walk want warn watch work write yes zip`.split(
    /\s+/u,
  ),
)

/** What it asks to do, where nobody can say that it is mild; null where it is, or where nothing is to be done. */
export function unknownDeed(question: string): string | null {
  // Answers in other letters belong to other languages, whose verbs are not listed here.
  if (!/[[(<](?:[^\])>]*[/,| ])?(?:y|yes)(?![\p{L}])/iu.test(question)) return null
  const plain =
    withoutBrackets(question)
      .trim()
      .split(/[.!;:] +(?=\S)/u)
      .at(-1) ?? ''
  if (!/[?？]/u.test(plain) || asksHowItIs.test(plain) || plain.split(/\s+/u).length < 2) return null
  if (turnsOff.test(plain)) return null
  const verb = asksToDo.exec(plain)?.[1]?.toLowerCase()
  if (verb !== undefined && notAVerb.test(verb)) return null
  return verb === undefined || !/^[a-z-]{3,}$/u.test(verb) || mild.has(verb) ? null : verb
}
