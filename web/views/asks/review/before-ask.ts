import type { Message } from '../../../../src/domain/message/schema.ts'
import { stepsOf } from '../../session/entries/plan-steps.ts'

export type BeforeAsk = {
  /** The agent's last words. */
  words: string | null
  step: { label: string; number: number; of: number } | null
  /** Its last tool calls, newest last. */
  calls: string[]
}

const mostCalls = 3

/** What an agent said, planned and did before it asked. */
export function beforeAsk(messages: readonly Message[], askedAt: string): BeforeAsk {
  // The newest request counts; what came after the ask does not.
  const earlier = messages.filter(({ timestamp }) => timestamp <= askedAt)
  const agents = earlier.filter(({ role }) => role === 'agent').map(({ content }) => content)
  const said = agents.findLast((content) => content.type === 'text' && content.text.trim() !== '')
  const plan = agents.findLast((content) => content.type === 'plan')
  const steps = plan?.type === 'plan' ? stepsOf(plan.steps) : []
  const at = steps.findIndex(({ status }) => status === 'in_progress')
  const step = steps[at]
  return {
    words: said?.type === 'text' ? said.text.trim() : null,
    step: step ? { label: step.label, number: at + 1, of: steps.length } : null,
    calls: agents
      .flatMap((content) => (content.type === 'tool' ? [content.title ?? content.tool] : []))
      .slice(-mostCalls),
  }
}
