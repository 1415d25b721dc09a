import { closest } from '../config/closest.ts'
import { cleanLine } from './clean-text.ts'
import {
  commonFlags,
  type CommandSpec,
  type CommonFlags,
  type FlagSpec,
  type FlagValues,
  type Flags,
  type Invocation,
} from './command.ts'
import { wrongUsage, type Failure } from './failure.ts'

export type Parsed = {
  /** From the root to the command, names only. */
  readonly path: readonly string[]
  readonly command: CommandSpec
  readonly common: CommonFlags
  readonly invocation: Invocation
}

type FlagValue = string | number | boolean | readonly string[]

/** Parses a command line by the table of commands. Throws a usage failure. */
export function parseCommandLine(argv: readonly string[], root: CommandSpec): Parsed {
  let current = root
  const path: string[] = []
  const args: string[] = []
  const given = new Map<string, FlagValue>()
  const left = [...argv]
  let dashes: number | undefined
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      dashes = args.length
      args.push(...left.splice(0))
    } else if (current.verbatim && !word.startsWith('--') && word !== '-h') {
      args.push(word, ...left.splice(0))
    } else if (word.startsWith('-') && word !== '-') {
      if (args.length > 0 && !isKnown(word, current)) refuseProgram([...args, word, ...left], word, current, path)
      readFlag(word, left, given, current, path)
    } else {
      const child = args.length === 0 ? current.children.find(({ name }) => name === word) : undefined
      if (child) {
        current = child
        path.push(child.name)
      } else args.push(word)
    }
  }
  const stranger = [...given.keys()].find((name) => !(name in commonFlags) && !(name in current.flags))
  if (stranger !== undefined) throw unknownFlag(`--${stranger}`, current, path)
  const common: CommonFlags = valuesOf(commonFlags, given)
  const [first] = args
  if (!common.help) checkArgs(turned(args, current), current, path)
  else if (first !== undefined && current.children.length > 0 && current.args.length === 0)
    throw unknownCommand(first, current, path)
  return {
    path,
    command: current,
    common,
    invocation: {
      args: turned(args, current),
      ...(dashes !== undefined && { dashes }),
      flags: valuesOf(current.flags, given),
    },
  }
}

/** After `help` only command names may follow. */
export function refuseUnknownHelp(words: readonly string[], root: CommandSpec): void {
  const { path, command, invocation } = parseCommandLine([...words, '--help'], root)
  const [first] = invocation.args
  if (first !== undefined) throw unknownCommand(first, command, path)
}

const line = (path: readonly string[]): string => ['signalbox', ...path].join(' ')
const seeHelp = (path: readonly string[]): string => `See: ${line(path)} --help`

const nameOf = (word: string): string => {
  const [written = ''] = word.split('=', 1)
  return written === '-h' ? 'help' : written.replace(/^--/, '')
}
const isKnown = (word: string, command: CommandSpec): boolean =>
  Object.hasOwn({ ...commonFlags, ...command.flags }, nameOf(word))

/** If a program may follow `--`, an unknown flag most likely belongs to it. */
function refuseProgram(words: readonly string[], word: string, command: CommandSpec, path: readonly string[]): void {
  if (!command.args.some(({ name }) => name.startsWith('-- '))) return
  const asMeant = words.filter((one) => one !== '--').map((one) => cleanLine(one))
  throw wrongUsage(
    `${line(path)} has no flag ${cleanLine(word)}.`,
    `To run a program in a terminal: ${line(path)} -- ${asMeant.join(' ')}`,
  )
}

function readFlag(
  word: string,
  left: string[],
  given: Map<string, FlagValue>,
  command: CommandSpec,
  path: string[],
): void {
  const equals = word.indexOf('=')
  const written = equals === -1 ? word : word.slice(0, equals)
  const name = nameOf(word)
  const known: Flags = { ...commonFlags, ...command.flags }
  const spec = Object.hasOwn(known, name) ? known[name] : undefined
  if (!spec) throw unknownFlag(written, command, path)
  if (spec.kind === 'switch') {
    if (equals !== -1) throw wrongUsage(`--${name} takes no value.`, seeHelp(path))
    given.set(name, true)
    return
  }
  const next = equals === -1 ? left[0] : word.slice(equals + 1)
  if (next === undefined || next === '' || (equals === -1 && next.startsWith('--')))
    throw wrongUsage(`--${name} needs a value: --${name} ${spec.hint}`, seeHelp(path))
  if (equals === -1) left.shift()
  const before = given.get(name)
  if (spec.kind === 'list') given.set(name, [...(Array.isArray(before) ? before : []), next])
  else given.set(name, valueOf(name, spec, next))
}

function valueOf(name: string, spec: Extract<FlagSpec, { kind: 'number' | 'text' }>, raw: string): FlagValue {
  if (spec.kind === 'number') {
    const value = Number(raw)
    if (/^\d{1,15}$/.test(raw) && value >= spec.least) return value
    throw wrongUsage(`--${name} must be a whole number from ${spec.least}, not "${cleanLine(raw)}".`)
  }
  for (const one of spec.several ? raw.split(',') : [raw]) checkChoice(`--${name}`, one, spec.values)
  return raw
}

function checkChoice(what: string, raw: string, values: readonly string[] | undefined): void {
  if (!values || values.includes(raw)) return
  const meant = didYouMean(raw, values)
  const named = what.startsWith('--') ? what : what.toLowerCase()
  throw wrongUsage(`Invalid ${named} "${cleanLine(raw)}".`, `${meant ? `${meant} ` : ''}It takes ${values.join(', ')}.`)
}

/** `roles grant admin ann` and `roles grant ann admin` are the same. */
function turned(args: readonly string[], command: CommandSpec): readonly string[] {
  const at = command.args.findIndex(({ eitherWay }) => eitherWay)
  const [before = '', after = ''] = args.slice(at - 1, at + 1)
  const values = at > 0 ? (command.args[at]?.values ?? []) : []
  if (!values.includes(before) || values.includes(after) || after === '') return args
  return args.with(at - 1, after).with(at, before)
}

function checkArgs(args: readonly string[], command: CommandSpec, path: readonly string[]): void {
  const [first] = args
  if (first !== undefined && command.children.length > 0 && command.args.length === 0)
    throw unknownCommand(first, command, path)
  const missing = command.args.find(({ optional }, index) => !optional && args[index] === undefined)
  if (missing) throw wrongUsage(`${missing.name} is missing: ${usageLine(command, path)}`, seeHelp(path))
  const hasRest = command.args.some(({ rest }) => rest)
  const extra = args[command.args.length]
  if (extra !== undefined && !hasRest)
    throw wrongUsage(`Unexpected argument "${cleanLine(extra)}": ${usageLine(command, path)}`, seeHelp(path))
  command.args.forEach(({ name, values }, index) => {
    const arg = args[index]
    if (arg !== undefined) checkChoice(name, arg, values)
  })
}

/** `signalbox answer ID OUTCOME [TEXT…]` */
export function usageLine(command: CommandSpec, path: readonly string[]): string {
  const args = command.args.map(({ name, optional, rest }) => {
    const shown = rest ? `${name}…` : name
    return optional ? `[${shown}]` : shown
  })
  return [line(path), ...args].join(' ')
}

function unknownCommand(word: string, command: CommandSpec, path: readonly string[]): Failure {
  const names = command.children.map(({ name }) => name)
  const hint = didYouMean(word, names, (name) => line([...path, name]))
  return wrongUsage(`Unknown command "${cleanLine([...path, word].join(' '))}".`, hint ?? seeHelp(path))
}

function unknownFlag(written: string, command: CommandSpec, path: readonly string[]): Failure {
  const own = Object.keys(command.flags)
  const names = [...own, ...Object.keys(commonFlags)]
  const meant = didYouMean(written, names, (name) => `--${name}`)
  const hint = path.length === 0 ? `Flags come after the command. ${seeHelp(path)}` : seeHelp(path)
  return wrongUsage(`${line(path)} has no flag ${cleanLine(written)}.`, meant ?? hint)
}

/** Every flag has a value: unset switches are off, others undefined. */
const unset = (kind: FlagSpec['kind']) => (kind === 'switch' ? false : kind === 'list' ? [] : undefined)

function valuesOf<F extends Flags>(flags: F, given: ReadonlyMap<string, FlagValue>): FlagValues<F> {
  const entries = Object.entries(flags).map(([name, { kind }]) => {
    return [name, given.get(name) ?? unset(kind)]
  })
  return Object.fromEntries(entries) as FlagValues<F>
}

/** `Did you mean …?` for an unknown word. */
export function didYouMean(
  word: string,
  known: readonly string[],
  written = (name: string) => name,
): string | undefined {
  const wanted = word.replace(/^-+/, '')
  const start = wanted.length < 2 ? [] : known.filter((name) => name.startsWith(wanted))
  // closest compares words in snake_case.
  const near = closest(
    wanted,
    known.map((name) => name.replaceAll('-', '_')),
  )
  const found = near === undefined ? undefined : known.find((name) => name.replaceAll('-', '_') === near)
  const meant = start.length === 1 ? start[0] : found
  return meant === undefined ? undefined : `Did you mean ${written(meant)}?`
}
