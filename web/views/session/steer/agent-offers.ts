export type AgentChoice = { value: string; name: string }
export type AgentOption =
  | { kind: 'select'; id: string; name: string; about: string; current: string; choices: AgentChoice[] }
  | { kind: 'switch'; id: string; name: string; about: string; current: boolean }

type Fields = Readonly<Record<string, unknown>>
const fields = (value: unknown): Fields => (value !== null && typeof value === 'object' ? (value as Fields) : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Modes of an agent; null if it has none to choose from. */
export function modesOf(modes: unknown): { current: string; choices: AgentChoice[] } | null {
  const { currentModeId, availableModes } = fields(modes)
  const choices = list(availableModes).flatMap((mode) => {
    const { id, name } = fields(mode)
    return typeof id === 'string' ? [{ value: id, name: word(name) || id }] : []
  })
  return choices.length > 1 ? { current: word(currentModeId), choices } : null
}

/** Options of an agent; groups are flattened. */
export const offersOf = (options: unknown): AgentOption[] =>
  list(options).flatMap((option): AgentOption[] => {
    const { id, name, type, currentValue, description, options: choices } = fields(option)
    if (typeof id !== 'string') return []
    const about = { id, name: word(name) || id, about: word(description) }
    if (typeof currentValue === 'boolean') return [{ kind: 'switch', ...about, current: currentValue }]
    if (type !== 'select' && !Array.isArray(choices)) return []
    const all = list(choices).flatMap(choiceOf)
    return all.length > 1 ? [{ kind: 'select', ...about, current: word(currentValue), choices: all }] : []
  })

function choiceOf(choice: unknown): AgentChoice[] {
  const { value, name, options } = fields(choice)
  if (Array.isArray(options)) return options.flatMap(choiceOf)
  return typeof value === 'string' ? [{ value, name: word(name) || value }] : []
}

export type OfferedCommand = { name: string; about: string }

/** Commands of an agent with this prefix; none once more than the name is typed. */
export function commandsFor(commands: unknown, text: string): OfferedCommand[] {
  const typed = /^\/(\S*)$/.exec(text)?.[1]
  if (typed === undefined) return []
  return list(commands)
    .flatMap((command) => {
      const { name, description } = fields(command)
      return typeof name === 'string' ? [{ name, about: word(description) }] : []
    })
    .filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()))
    .slice(0, 8)
}

export const canFork = (capabilities: unknown): boolean => {
  const { fork } = fields(fields(capabilities)['sessionCapabilities'])
  return fork !== undefined && fork !== null && fork !== false
}
