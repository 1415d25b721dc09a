import type { Json } from '../lib/json.ts'
import { isRecord } from '../lib/parse-json.ts'
import { fail, type Failed } from '../lib/result.ts'
import type { AgentAbout } from '../domain/agent/about.ts'

export type Offer = { readonly value: string; readonly name: string }

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Values of a choice; some agents group them. */
export const offersIn = (options: unknown): Offer[] =>
  listOf(options).flatMap((option) => {
    if (!isRecord(option)) return []
    if ('options' in option) return offersIn(option['options'])
    const value = textOf(option['value'])
    return value === '' ? [] : [{ value, name: textOf(option['name']) }]
  })

const isModelOption = ({ category, id }: Readonly<Record<string, unknown>>): boolean =>
  category === 'model' || (category === undefined && /^models?$/i.test(textOf(id)))

export const optionsOf = (configOptions: Json) => listOf(configOptions).filter(isRecord)

/** Models in the older list, which agents change with a method of its own. */
export const listedModels = (models: Json): Offer[] =>
  isRecord(models)
    ? listOf(models['availableModels']).flatMap((model) =>
        isRecord(model) ? [{ value: textOf(model['modelId']), name: textOf(model['name']) }] : [],
      )
    : []

/** The id under which the older list of models is shown as an option. */
const modelOptionId = 'model'

/** Whether the option stands for the older list of models. */
export const isListedModel = ({ configOptions, models }: Offering, optionId: string): boolean =>
  optionId === modelOptionId && listedModels(models).length > 0 && !optionsOf(configOptions).some(isModelOption)

type Offering = Pick<AgentAbout, 'configOptions' | 'models'>

/** The agent's options as people see them: models in the older list are an option too. */
export function shownOptions(about: Offering): Json {
  if (!isListedModel(about, modelOptionId)) return about.configOptions
  const options = listedModels(about.models).map(({ value, name }) => ({ value, name: name === '' ? value : name }))
  const currentValue = textOf((about.models as { currentModelId?: unknown }).currentModelId)
  const model = { id: modelOptionId, name: 'Model', category: 'model', type: 'select', currentValue, options }
  return [...(listOf(about.configOptions) as Json[]), model]
}

const modesOf = (modes: Json): string[] =>
  isRecord(modes)
    ? listOf(modes['availableModes']).flatMap((mode) =>
        isRecord(mode) && textOf(mode['id']) ? [textOf(mode['id'])] : [],
      )
    : []

/** Why the agent can't be put in this mode; null if it offers it. */
export function modeMisfit({ modes }: Pick<AgentAbout, 'modes'>, modeId: string): Failed | null {
  const offered = modesOf(modes)
  if (offered.includes(modeId)) return null
  return fail({
    kind: 'invalid',
    code: 'mode_not_offered',
    message: offered.length === 0 ? 'This agent has no modes.' : `This agent has no mode ${JSON.stringify(modeId)}.`,
    ...(offered.length > 0 && { hint: `Its modes: ${offered.join(', ')}.` }),
  })
}

const mostNamed = 50

/** Why the option can't be set to this value; null if the agent offers it. */
export function optionMisfit(about: Offering, optionId: string, value: string | boolean): Failed | null {
  const options = optionsOf(shownOptions(about))
  const option = options.find(({ id }) => id === optionId)
  if (!option) {
    const ids = options.map(({ id }) => textOf(id)).filter((id) => id !== '')
    return fail({
      kind: 'invalid',
      code: 'option_not_offered',
      message:
        ids.length === 0 ? 'This agent has no options.' : `This agent has no option ${JSON.stringify(optionId)}.`,
      ...(ids.length > 0 && { hint: `Its options: ${ids.slice(0, mostNamed).join(', ')}.` }),
    })
  }
  if (typeof option['currentValue'] === 'boolean')
    return typeof value === 'boolean' ? null : valueMisfit(optionId, value, ['true', 'false'])
  const offered = offersIn(option['options']).map((offer) => offer.value)
  // Without a list of values only the agent knows.
  return offered.length === 0 || offered.includes(String(value)) ? null : valueMisfit(optionId, value, offered)
}

const valueMisfit = (optionId: string, value: string | boolean, offered: readonly string[]): Failed =>
  fail({
    kind: 'invalid',
    code: 'value_not_offered',
    message: `The option ${optionId} of this agent can't be ${JSON.stringify(value)}.`,
    hint: `Its values: ${offered.slice(0, mostNamed).join(', ')}.`,
  })
