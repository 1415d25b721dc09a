import { fail, ok, type Result } from '../../../lib/result.ts'

export type EnvVariables = Readonly<Record<string, string>>

/** Checks variables that an agent requests for a program: plain shell names, and none of ours. */
export function requestedEnv(wanted: readonly { name: string; value: string }[]): Result<EnvVariables> {
  for (const { name, value } of wanted) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return refused(`${JSON.stringify(name.slice(0, 100))} is not a variable name`)
    if (name.toUpperCase().startsWith('SIGNALBOX_')) return refused(`${name} is set only by Signalbox`)
    if (value.includes('\0')) return refused(`the value of ${name} has a zero byte`)
  }
  return ok(Object.fromEntries(wanted.map(({ name, value }) => [name, value])))
}

const refused = (why: string) =>
  fail({ kind: 'invalid', code: 'variable_refused', message: `The command can't be run: ${why}.` })
