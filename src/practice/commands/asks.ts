import type { PermissionOption, RequestPermissionOutcome } from '@agentclientprotocol/sdk/unstable'
import type { PracticeCommands } from '../command.ts'
import { requestPermission, usualOptions } from '../permission.ts'
import { askQuestion, canFillForms } from '../question.ts'
import { openTool, textContent } from '../tool-call.ts'
import type { PracticeTurn } from '../turn.ts'

const rejectAlways: PermissionOption = { optionId: 'reject-always', name: 'Always reject', kind: 'reject_always' }
const isAllow = ({ kind }: PermissionOption): boolean => kind.startsWith('allow')

const oddOptions: Record<string, PermissionOption[]> = {
  'only-always': [...usualOptions.filter(({ kind }) => kind === 'allow_always'), rejectAlways],
  'no-allow': [...usualOptions.filter((option) => !isAllow(option)), rejectAlways],
  'no-reject': usualOptions.filter(isAllow),
}

export const asks: PracticeCommands = {
  ask: {
    description: 'Asks a question',
    hint: 'QUESTION',
    async run(turn, question) {
      const answer = await askQuestion(turn, question || 'What is on your mind?')
      if (canFillForms(turn)) await turn.say(answer === null ? 'ask: no answer' : `ask: ${answer}`)
    },
  },
  permit: {
    description: 'Asks permission with unusual options, or two at once',
    hint: [...Object.keys(oddOptions), 'parallel'].join('|'),
    async run(turn, kind) {
      if (kind === 'parallel') {
        const outcomes = await Promise.all(['first', 'second'].map((name) => permit(turn, name, usualOptions)))
        return turn.say(`permit parallel: ${outcomes.join(', ')}`)
      }
      const options = oddOptions[kind]
      if (!options) return turn.say(`Say: /permit ${asks['permit']?.hint}`)
      await turn.say(`permit ${kind}: ${await permit(turn, kind, options)}`)
    },
  },
}

async function permit(turn: PracticeTurn, name: string, options: PermissionOption[]): Promise<string> {
  const tool = await openTool(turn, {
    title: `Do nothing (${name})`,
    kind: 'other',
    content: [textContent('Nothing happens, whatever the answer is.')],
  })
  const outcome = await requestPermission(turn, tool.call, options)
  const isDone = outcome.outcome === 'selected' && outcome.optionId.startsWith('allow')
  await tool.update({ status: isDone ? 'completed' : 'failed' })
  return outcomeText(outcome)
}

const outcomeText = (outcome: RequestPermissionOutcome): string =>
  outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome
