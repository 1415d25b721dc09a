import type { App } from '../../../app/app.ts'
import type { Detection } from '../../../app/terminals.ts'
import type { PatternRuleId } from '../../../domain/pattern/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { systemStanding } from '../../../domain/user/actor.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { reach } from './access.ts'

const system = { kind: 'system', name: 'terminal' } as const

/** Types answers that a person confirmed (B3), and no others. */
export type ConfirmedAnswers = {
  seen(id: SessionId, detection: Detection, program: string): Promise<void>
  /** The program did not accept the answer: the rule is revoked. */
  failed(promptId: string): Promise<void>
}

type Deps = {
  app: App
  clock: Clock
  log: Logger
  type(id: SessionId, input: { text: string; expectPrompt: string; key: string }): Promise<string>
  /** Whether somebody sits at it. */
  isAttended(id: SessionId): Promise<boolean>
  /** When they last typed. */
  typedAt(id: SessionId): number
}

/** Who sits at the terminal answers first: a rule waits this long for their first key. */
const graceMs = 3000

export function createConfirmedAnswers({ app, clock, log, type, isAttended, typedAt }: Deps): ConfirmedAnswers {
  const typed = new Map<string, PatternRuleId>()
  /** Prompts that a person answers. */
  const left = new Set<string>()

  /** A person at the terminal is typing: they win. */
  async function isLeftTo(id: SessionId, promptId: string): Promise<boolean> {
    if (!(await isAttended(id))) return false
    const asked = clock.now()
    await new Promise<void>((resolve) => void clock.at(asked + graceMs, resolve))
    if (typedAt(id) < asked) return false
    log.info({ session: id, prompt: promptId }, 'a confirmed answer was not typed: somebody types at the terminal')
    typed.delete(promptId)
    left.add(promptId)
    if (left.size > 1000) left.delete(left.values().next().value ?? '')
    return true
  }

  return {
    async seen(id, detection, program) {
      const { waiting, promptId, promptText, promptType, secret, isDangerous } = detection
      if (!waiting || promptId === null || secret || isDangerous || typed.has(promptId) || left.has(promptId)) return
      const found = await reach(app, id, system)
      const session = await app.read.session(systemStanding('terminal'), id)
      if (!found.ok || !session.ok) return
      const { ownerUserId, host } = found.value.terminal
      const place = session.value.repoId ?? session.value.workspaceRoot
      const question = { userId: ownerUserId, promptText, promptType, program, host: host ?? '', place }
      const rule = await app.read.confirmedAnswer({ ...question, secret, dangerous: isDangerous })
      if (!rule) return
      typed.set(promptId, rule.ruleId)
      if (typed.size > 1000) typed.delete(typed.keys().next().value ?? '')
      if (await isLeftTo(id, promptId)) return
      const status = await type(id, { text: rule.response, expectPrompt: promptId, key: `rule:${promptId}` })
      log.info({ session: id, rule: rule.ruleId, status }, 'an answer that was confirmed was typed')
    },
    async failed(promptId) {
      const rule = typed.get(promptId)
      typed.delete(promptId)
      if (rule !== undefined) await app.dispatch({ type: 'pattern.revoke', id: rule }, system)
    },
  }
}
