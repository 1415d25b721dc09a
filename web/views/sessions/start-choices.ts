import type { Isolation } from '../../../src/domain/session/schema.ts'
import { startName, type BrowserStorage } from '../../app/browser-storage.ts'
import { isRecord, jsonOrNull } from '../../../src/lib/parse-json.ts'

/** The last choices, reused for the next session; kept in this browser. */
export type StartChoices = {
  agent: string
  /** `repo:<id>`, `path` for another folder, or empty for the default workspace. */
  place: string
  path: string
  isolation: Isolation | ''
  worktree: boolean
  authMethod: string
}

export const noChoices: StartChoices = {
  agent: '',
  place: '',
  path: '',
  isolation: '',
  worktree: false,
  authMethod: '',
}

type ChoiceStorage = Pick<BrowserStorage, 'getItem' | 'setItem'>

export function keptChoices(keeper: ChoiceStorage): StartChoices {
  const kept = jsonOrNull(keeper.getItem(startName) ?? '{}', isRecord) ?? {}
  const word = (name: keyof StartChoices) => (typeof kept[name] === 'string' ? kept[name] : '')
  const isolation = word('isolation')
  return {
    agent: word('agent'),
    place: word('place'),
    path: word('path'),
    isolation: isolation === 'none' || isolation === 'sandbox' || isolation === 'container' ? isolation : '',
    worktree: kept['worktree'] === true,
    authMethod: word('authMethod'),
  }
}

export const keepChoices = (keeper: ChoiceStorage, choices: StartChoices): void =>
  keeper.setItem(startName, JSON.stringify(choices))

export type ChosenBudget = { costUsd?: number; tokens?: number }

/** Parses a typed budget: `2.50`, `100000`; a decimal comma is accepted. Null if invalid. */
export function budgetOf(cost: string, tokens: string): ChosenBudget | null {
  const costUsd = cost.trim() === '' ? undefined : Number(cost.trim().replace(',', '.').replace(/^\$/, ''))
  const most = tokens.trim() === '' ? undefined : Number(tokens.replaceAll(/[\s,._]/g, ''))
  if (costUsd !== undefined && !(costUsd > 0 && Number.isFinite(costUsd))) return null
  if (most !== undefined && !(Number.isSafeInteger(most) && most > 0)) return null
  return { ...(costUsd !== undefined && { costUsd }), ...(most !== undefined && { tokens: most }) }
}

export type SignIn = { id: string; name: string }

/** Sign-in methods of an agent. */
export function signInsOf(methods: unknown): SignIn[] {
  if (!Array.isArray(methods)) return []
  return methods.flatMap((method: unknown) => {
    const { id, name } = (method ?? {}) as Record<string, unknown>
    return typeof id === 'string' ? [{ id, name: typeof name === 'string' ? name : id }] : []
  })
}
