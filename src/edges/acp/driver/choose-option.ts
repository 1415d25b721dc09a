import type { AgentAbout } from '../../../domain/agent/about.ts'
import type { Json } from '../../../lib/json.ts'
import { listedModels, offersIn, optionsOf, textOf, type Offer } from '../../../app/agent-offers.ts'
import { isRecord } from '../../../lib/parse-json.ts'

/** How a wish is passed to an agent; or what it offers instead. */
export type Choice =
  | { readonly kind: 'set_option'; readonly id: string; readonly value: string }
  | { readonly kind: 'set_model'; readonly id: string }
  | { readonly kind: 'in_force' }
  | { readonly kind: 'not_offered'; readonly offered: readonly string[] }

const categories = { model: 'model', effort: 'thought_level' } as const
const ids = { model: /^models?$/i, effort: /effort|thought|thinking|reasoning/i } as const

/** The wanted one: by its value or its name, or as the only one that contains the word. */
function among(offers: readonly Offer[], wanted: string): Offer | undefined {
  const word = wanted.toLowerCase()
  const words = ({ value, name }: Offer) => [value.toLowerCase(), name.toLowerCase()]
  const exact = offers.find((offer) => words(offer).includes(word))
  const near = offers.filter((offer) => words(offer).some((each) => each.includes(word)))
  return exact ?? (near.length === 1 ? near[0] : undefined)
}

const notOffered = (offers: readonly Offer[]): Choice => ({
  kind: 'not_offered',
  offered: offers.map(({ value }) => value),
})

/** C11: how the agent is told which model to use, or how much to think. Config options count before the older list of models. */
export function choiceOf(
  what: 'model' | 'effort',
  wanted: string,
  about: Pick<AgentAbout, 'configOptions' | 'models'>,
): Choice {
  const option = optionsOf(about.configOptions).find(
    ({ category, id }) => category === categories[what] || (category === undefined && ids[what].test(textOf(id))),
  )
  if (option) {
    const offers = offersIn(option['options'])
    const found = among(offers, wanted)
    if (!found) return notOffered(offers)
    if (option['currentValue'] === found.value) return { kind: 'in_force' }
    return { kind: 'set_option', id: textOf(option['id']), value: found.value }
  }
  return what === 'model' ? modelOf(about.models, wanted) : notOffered([])
}

function modelOf(models: Json, wanted: string): Choice {
  if (!isRecord(models)) return notOffered([])
  const offers = listedModels(models)
  const found = among(offers, wanted)
  if (!found) return notOffered(offers)
  return models['currentModelId'] === found.value ? { kind: 'in_force' } : { kind: 'set_model', id: found.value }
}

/** What people read if the agent could not be told. */
export const notOfferedText = (what: 'model' | 'effort', wanted: string, offered: readonly string[]): string =>
  offered.length === 0
    ? `This agent offers no choice of ${what}, so it does not use "${wanted}".`
    : `This agent does not offer the ${what} "${wanted}". It offers: ${offered.slice(0, 20).join(', ')}.`
