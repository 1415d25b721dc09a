import { iso } from '../../lib/clock.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { SessionId } from '../session/id.ts'
import { actorName, isAdmin, personOf, type Standing } from '../user/actor.ts'
import type { UserId } from '../user/id.ts'
import { readExchange } from './exchange.ts'
import { keyOf } from './key.ts'
import { judged, learn, learnedChange } from './learn.ts'
import { isSecretInput, mayLearn } from './learnable.ts'
import { afterAnswer, type RuleState } from './propose.ts'
import { redacted, type InputEvent, type KeptPattern, type PatternChange, type PatternCommand } from './schema.ts'
import { maskSecrets } from './secret-text.ts'

export type PatternFacts = {
  /** The session it was typed in, and its repo or workspace. */
  session?: { id: SessionId; place: string } | undefined
  event?: (InputEvent & { witnessed: boolean }) | undefined
  pattern?: KeptPattern | undefined
  /** Of that pattern. */
  rules: readonly RuleState[]
  rule?: (RuleState & { patternId: KeptPattern['id']; userId: UserId }) | undefined
}

type Track = Extract<PatternCommand, { type: 'input.track' }>

export function decidePattern(
  facts: PatternFacts,
  command: PatternCommand,
  { standing, now }: { standing: Standing; now: number },
): Result<PatternChange[]> {
  const by = actorName(standing.actor)
  switch (command.type) {
    case 'input.track':
      return track(facts, command, standing, now)
    case 'input.judge':
      return judge(facts, command, now)
    case 'pattern.import': {
      const read = readExchange(command.document, command.userId, now)
      if (!read.ok) return read
      const data = { userId: command.userId, count: read.value.length }
      return ok([{ type: 'pattern.imported', data, body: { patterns: read.value } }])
    }
    case 'pattern.forget': {
      const { pattern } = facts
      const mine = pattern && (owns(standing, pattern.userId) || isAdmin(standing))
      if (!pattern || !mine) return notFound('pattern', command.id)
      return ok([{ type: 'pattern.forgotten', data: { id: pattern.id, userId: pattern.userId, by } }])
    }
    case 'pattern.confirm':
    case 'pattern.dismiss':
    case 'pattern.revoke':
      return decideRule(facts, command, standing)
    default:
      return command satisfies never
  }
}

function track(facts: PatternFacts, command: Track, standing: Standing, now: number): Result<PatternChange[]> {
  const { session, event: known } = facts
  const { id, sessionId, userId, promptType, source, responseTimeMs, success } = command
  if (!session) return notFound('session', sessionId)
  const { actor } = standing
  if (userId !== null && actor.kind !== 'system' && personOf(actor) !== userId)
    return fail({
      kind: 'forbidden',
      code: 'not_yourself',
      message: 'You can only record your own answers.',
      hint: 'Leave the person out.',
    })
  // A repeated report changes nothing.
  if (known) return known.sessionId === sessionId ? ok([]) : taken(id)
  const at = command.at !== null && Date.parse(command.at) < now ? iso(Date.parse(command.at)) : iso(now)
  const secret = isSecretInput(command)
  const key =
    userId !== null && mayLearn(command)
      ? keyOf(userId, command.promptText, { program: command.program, host: command.host, place: session.place })
      : null
  const event: InputEvent = {
    id,
    sessionId,
    at,
    promptText: maskSecrets(plain(command.promptText)),
    promptType,
    inputText: secret ? redacted : plain(command.inputText),
    success,
    inputSource: source,
    responseTimeMs,
    userId,
    patternId: key?.id ?? null,
    secret,
  }
  // What an agent reports may be suggested, but never becomes a rule.
  const witnessed = actor.kind === 'system' || actor.kind === 'person'
  const tracked: PatternChange = {
    type: 'input.tracked',
    data: { id, sessionId, patternId: event.patternId, inputSource: source, secret, success, userId },
    body: { ...event, witnessed },
  }
  if (!key) return ok([tracked])
  const response = command.inputText
  const { after, changed, dropped } = learn(facts.pattern, key, promptType, { response, at, success, witnessed })
  const rules = afterAnswer(after, facts.rules, { response, success, cause: id }, now)
  return ok([tracked, learnedChange(after, changed, dropped), ...rules])
}

function judge(
  { event, pattern, rules }: PatternFacts,
  { id, success }: Extract<PatternCommand, { type: 'input.judge' }>,
  now: number,
): Result<PatternChange[]> {
  if (!event) return notFound('input_event', id)
  if (event.success === success) return ok([])
  const change: PatternChange = { type: 'input.judged', data: { id, sessionId: event.sessionId, success } }
  const { inputText: response, at, witnessed } = event
  const found = pattern && judged(pattern, { response, at, success: event.success, witnessed }, success)
  if (!found) return ok([change])
  const moves = afterAnswer(found.after, rules, { response, success, cause: id }, now)
  return ok([change, learnedChange(found.after, found.changed), ...moves])
}

function decideRule(
  { rule }: PatternFacts,
  command: Extract<PatternCommand, { type: 'pattern.confirm' | 'pattern.dismiss' | 'pattern.revoke' }>,
  standing: Standing,
): Result<PatternChange[]> {
  const { actor } = standing
  if (actor.kind === 'agent' || actor.kind === 'policy')
    return fail({
      kind: 'forbidden',
      code: 'agents_may_not',
      message: "An agent can't decide what is answered automatically.",
      hint: 'A person must do it.',
    })
  // Admins and Signalbox may revoke; only the person whose answer it is may confirm.
  const may = rule && (owns(standing, rule.userId) || (command.type === 'pattern.revoke' && isAdmin(standing)))
  if (!rule || !may) return notFound('proposal', command.id)
  const data = { id: rule.id, patternId: rule.patternId, userId: rule.userId, by: actorName(actor) }
  const needed = command.type === 'pattern.revoke' ? 'confirmed' : 'proposed'
  if (rule.status !== needed) return decided(rule)
  switch (command.type) {
    case 'pattern.confirm':
      return ok([{ type: 'pattern.confirmed', data }])
    case 'pattern.dismiss':
      return ok([{ type: 'pattern.dismissed', data }])
    case 'pattern.revoke':
      return ok([{ type: 'pattern.revoked', data }])
    default:
      return command satisfies never
  }
}

const owns = ({ actor }: Standing, userId: UserId): boolean => actor.kind === 'person' && actor.userId === userId

/** Text that databases accept: no NUL, no lone surrogates. */
const plain = (text: string): string => text.replaceAll('\0', '').toWellFormed()

const next: Readonly<Record<RuleState['status'], string>> = {
  proposed: 'Confirm or dismiss it.',
  confirmed: 'It applies; revoke it to be asked again.',
  dismissed: 'It is proposed again if the habit continues for another 30 days.',
  revoked: 'It is proposed again if the habit continues for another 30 days.',
}

const decided = ({ status }: RuleState): Failed =>
  fail({
    kind: 'conflict',
    code: 'rule_decided',
    message: `The proposal is ${status}.`,
    hint: next[status],
    details: { status },
  })

const taken = (id: string): Failed =>
  fail({ kind: 'conflict', code: 'input_event_exists', message: `Input event ${id} already exists.` })
