import { type ArgSpec, commonFlags, type CommandSpec, type Flags, type FlagSpec } from '../command.ts'

/** Rows of the server whose ids or names can be completed. */
export type Source = NonNullable<ArgSpec['of']>

export type Suggestion = { readonly word: string; readonly about: string }
/** What may stand at the end of a command line: words, ids from the server, or else a file. */
export type Suggestions = {
  readonly words: readonly Suggestion[]
  readonly from: Source | null
  readonly files: boolean
}

const none: Suggestions = { words: [], from: null, files: false }
const files: Suggestions = { ...none, files: true }

/** Arguments and flags that name a row, by what they are called everywhere. */
const byArgument: Readonly<Record<string, Source>> = {
  SESSION: 'session',
  AGENT: 'agent',
  REPO: 'repo',
  USER: 'user',
  GROUP: 'group',
  CHAT: 'chat',
  INSTANCE: 'instance',
  SCHEDULE: 'schedule',
  TEMPLATE: 'template',
}
const byFlag: Readonly<Record<string, Source>> = {
  session: 'session',
  agent: 'agent',
  repo: 'repo',
  group: 'group',
  template: 'template',
}

/** `words` is the command line without the program name; the last word is the one to complete, and may be empty. */
export function complete(words: readonly string[], root: CommandSpec): Suggestions {
  const before = words.slice(0, -1)
  const current = words.at(-1) ?? ''
  let command = root
  let args = 0
  for (let at = 0; at < before.length; at++) {
    const word = before[at] ?? ''
    // The words after `--`, or of another program, are not ours.
    if (word === '--' || (command.verbatim && !word.startsWith('-'))) return files
    if (word.startsWith('--')) {
      const flag = flagOf(command, word.slice(2))
      if (flag === undefined || flag.kind === 'switch' || word.includes('=')) continue
      if (at === before.length - 1) return valuesOf(word.slice(2), flag, current)
      at++
    } else if (!word.startsWith('-') || word === '-') {
      const child = args === 0 ? command.children.find(({ name }) => name === word) : undefined
      if (child) command = child
      else args++
    }
  }
  const [name = '', value] = splitFlag(current)
  if (value !== undefined) {
    const flag = flagOf(command, name)
    if (flag === undefined || flag.kind === 'switch') return none
    const found = valuesOf(name, flag, value)
    return { ...found, words: found.words.map(({ word, about }) => ({ word: `--${name}=${word}`, about })) }
  }
  if (current.startsWith('-')) return { ...none, words: flagWords(command) }
  return positional(command, args)
}

const splitFlag = (word: string): readonly string[] => /^--([\w-]+)=(.*)$/s.exec(word)?.slice(1) ?? []

const flagOf = (command: CommandSpec, name: string): FlagSpec | undefined =>
  ({ ...command.flags, ...commonFlags } as Flags)[name]

const flagWords = (command: CommandSpec): Suggestion[] =>
  Object.entries<FlagSpec>({ ...command.flags, ...commonFlags }).map(([name, { about }]) => ({
    word: `--${name}`,
    about,
  }))

function positional(command: CommandSpec, place: number): Suggestions {
  const last = command.args.at(-1)
  const arg = command.args[place] ?? (last?.rest ? last : undefined)
  const children = place === 0 ? command.children.map(({ name, summary }) => ({ word: name, about: summary })) : []
  if (arg === undefined) return { ...none, words: children }
  const values = (arg.values ?? []).map((word) => ({ word, about: '' }))
  const from = arg.of ?? byArgument[arg.name] ?? null
  return { words: [...children, ...values], from, files: isPath(arg.name) }
}

function valuesOf(name: string, flag: Exclude<FlagSpec, { kind: 'switch' }>, current: string): Suggestions {
  const values = flag.kind === 'text' ? (flag.values ?? []) : []
  if (flag.kind === 'text' && flag.several === true) {
    const done = current.slice(0, current.lastIndexOf(',') + 1)
    const taken = done.split(',')
    return {
      ...none,
      words: values.filter((one) => !taken.includes(one)).map((one) => ({ word: done + one, about: '' })),
    }
  }
  if (values.length > 0) return { ...none, words: values.map((word) => ({ word, about: '' })) }
  const from = byFlag[name] ?? null
  return { words: [], from, files: from === null && isPath(flag.hint) }
}

const isPath = (hint: string): boolean => ['FILE', 'DIR', 'PATH'].includes(hint)
