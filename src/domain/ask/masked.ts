import { canonicalJson } from '../../lib/json.ts'
import { maskSecretsInLine } from '../../lib/secret-words.ts'
import { maskedRun, runSubject, runTitle } from './run.ts'
import type { NewAsk } from './schema.ts'

/**
 * An ask as it is stored and shown: without the secrets of its command, and with the line that is made of what would
 * be run. Only inert words are masked, so what is hidden can't be something that runs.
 */
export function withoutSecrets<A extends NewAsk>(ask: A): A {
  const { subject, title, description } = ask
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
