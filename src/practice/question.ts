import {
  CreateElicitationResponse,
  methods,
  type ElicitationPropertySchema,
  type PermissionOption,
} from '@agentclientprotocol/sdk/unstable'
import { requestPermission } from './permission.ts'
import { openTool, textContent } from './tool-call.ts'
import type { PracticeTurn } from './turn.ts'

type OfferedChoice = { value: string; title: string }

/** The answer, or null if there is none. */
export async function askQuestion(
  turn: PracticeTurn,
  question: string,
  choices: OfferedChoice[] = [],
): Promise<string | null> {
  if (canFillForms(turn)) return askByForm(turn, question, choices)
  if (choices.length > 0) return askByPermission(turn, question, choices)
  await turn.say(`${question} (Your client can't show forms: answer with your next prompt.)`)
  return null
}

export function canFillForms({ can }: PracticeTurn): boolean {
  const { elicitation } = can
  if (!elicitation) return false
  // A client that names no kind supports forms: they came first.
  return Boolean(elicitation.form) || !elicitation.url
}

async function askByForm(turn: PracticeTurn, question: string, choices: OfferedChoice[]): Promise<string | null> {
  turn.signal.throwIfAborted()
  const options = choices.map(({ value, title }) => ({ const: value, title }))
  const answer: ElicitationPropertySchema = {
    type: 'string',
    title: 'Answer',
    ...(options.length > 0 ? { oneOf: options } : {}),
  }
  const response = await turn.client.request(
    methods.client.elicitation.create,
    {
      mode: 'form',
      sessionId: turn.session.id,
      message: question,
      requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
    },
    turn.withdrawable,
  )
  turn.signal.throwIfAborted()
  if (!CreateElicitationResponse.isAccept(response)) return null
  const value = response.content?.['answer']
  return value === undefined ? null : String(value)
}

async function askByPermission(turn: PracticeTurn, question: string, choices: OfferedChoice[]): Promise<string | null> {
  const tool = await openTool(turn, { title: question, kind: 'other', content: [textContent(question)] })
  const options: PermissionOption[] = [
    ...choices.map(({ value, title }) => ({ optionId: value, name: title, kind: 'allow_once' as const })),
    { optionId: 'skip', name: 'Skip', kind: 'reject_once' },
  ]
  const outcome = await requestPermission(turn, tool.call, options)
  const optionId = outcome.outcome === 'selected' ? outcome.optionId : null
  const chosen = choices.find(({ value }) => value === optionId)?.value ?? null
  await tool.update({ status: chosen === null ? 'failed' : 'completed' })
  return chosen
}
