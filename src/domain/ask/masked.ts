import { canonicalJson, type Json } from '../../lib/json.ts'
import { commandKeys, fieldsOf } from '../policy/policy-subject.ts'
import { maskSecretWords, maskSecretsInLine } from '../../lib/secret-words.ts'
import { maskedRun, runSubject, runTitle } from './run.ts'
import type { NewAsk } from './schema.ts'
import type { AskSubject } from './subject.ts'

/**
 * An ask as stored and shown: secrets masked, and the command line built from what would run. Only inert words are
 * masked, so nothing that runs is hidden.
 */
export function withoutSecrets<A extends NewAsk>(ask: A): A {
  const { subject, title, description } = ask
  if (subject.kind === 'permission' || subject.kind === 'tool') return withoutSecretsOfTool(ask, subject)
  if (subject.kind !== 'command') return ask
  const words = { description: description === null ? null : maskSecretsInLine(description) }
  if (subject.run === undefined) {
    const command = maskSecretsInLine(subject.command)
    const { masked: _, ...rest } = subject
    return {
      ...ask,
      ...words,
      title: maskSecretsInLine(title),
      subject: { ...rest, command, ...(command !== subject.command && { masked: true }) },
    }
  }
  const run = maskedRun(subject.run)
  const masked = canonicalJson(run) !== canonicalJson(subject.run)
  return { ...ask, ...words, title: runTitle(run), subject: { ...runSubject(run), ...(masked && { masked: true }) } }
}

type OfTool = Extract<AskSubject, { kind: 'permission' | 'tool' }>

/** The agent runs its tool with its own input, so the secrets are not needed here. Only command lines are masked. */
function withoutSecretsOfTool<A extends NewAsk>(ask: A, subject: OfTool): A {
  const described = ask.description === null ? null : maskSecretsInLine(ask.description)
  const kept =
    subject.kind === 'tool'
      ? { ...subject, input: inCommands(subject.input) }
      : { ...subject, toolCall: inToolCall(subject.toolCall) }
  return { ...ask, title: maskSecretsInLine(ask.title), description: described, subject: kept }
}

function inToolCall(call: Json): Json {
  if (!isObject(call)) return call
  const title = call['title']
  const inputs = ['rawInput', 'input', 'args'].filter((key) => call[key] !== undefined)
  return {
    ...call,
    ...(typeof title === 'string' && { title: maskSecretsInLine(title) }),
    ...Object.fromEntries(inputs.map((key) => [key, inCommands(call[key] ?? null)])),
  }
}

/** Masks the command lines among a tool's arguments, found as a policy finds them. */
function inCommands(input: Json): Json {
  if (!isObject(input)) return input
  const commands = commandKeys.filter((key) => Object.hasOwn(fieldsOf(input), key))
  const program = commands.map((key) => input[key]).find((value) => typeof value === 'string')
  const beside = program === undefined ? [] : ['args', 'arguments']
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      if (beside.includes(key) && areWords(value)) return [key, maskSecretWords([program ?? '', ...value]).slice(1)]
      if (!commands.includes(key)) return [key, value]
      return [
        key,
        typeof value === 'string' ? maskSecretsInLine(value) : areWords(value) ? maskSecretWords(value) : value,
      ]
    }),
  )
}

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const areWords = (value: Json | undefined): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')
