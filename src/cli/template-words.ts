import type { Client } from '../client/client.ts'
import type { TemplateField, TemplateValues } from '../domain/template/about.ts'
import type { Session } from '../domain/session/schema.ts'
import type { Repo } from '../domain/workspace/schema.ts'
import { parseFields } from './template-fields.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import type { Context } from './context.ts'
import { exit, Failure, wrongUsage } from './failure.ts'

/** Which workspace's templates are offered too. */
export type TemplatePlace = {
  readonly repoId?: Repo['id']
  readonly workspaceRoot?: string
  readonly sessionId?: Session['id']
}

/** `field=value`, each once. */
export function valuesOf(given: readonly string[]): TemplateValues {
  const values: Record<string, string> = {}
  for (const text of given) {
    const at = text.indexOf('=')
    const name = text.slice(0, Math.max(at, 0))
    if (at < 1) throw wrongUsage(`Invalid --set "${cleanLine(text)}".`, 'Give FIELD=VALUE.')
    if (Object.hasOwn(values, name)) throw wrongUsage(`--set ${cleanLine(name)} is given twice.`)
    values[name] = text.slice(at + 1)
  }
  return values
}

/** The words of a prompt from a template. Fields without a value are asked for at a terminal. */
export async function templateWords(
  client: Client,
  { template, set, place }: { template: string | undefined; set: readonly string[]; place: TemplatePlace },
  context: Context,
): Promise<string | undefined> {
  if (template === undefined) {
    if (set.length > 0) throw wrongUsage('--set is for a template.', 'Name it: --template NAME')
    return undefined
  }
  const given = valuesOf(set)
  const fill = (values: TemplateValues) => client.fillTemplate({ body: { template, values, ...place } })
  try {
    return (await fill(given)).text
  } catch (error) {
    const missing = missingFields(error)
    if (missing.length === 0) throw error
    if (context.keyboard === null) throw withHint(error, missing)
    return (await fill({ ...given, ...(await askFor(missing, context)) })).text
  }
}

/** A template, and the words that follow it. */
export const joined = (template: string | undefined, own: string | undefined): string | undefined =>
  template === undefined || own === undefined ? (template ?? own) : `${template}\n\n${own}`

function missingFields(error: unknown): readonly TemplateField[] {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'missing_fields' || !('details' in error))
    return []
  return parseFields(error.details)
}

const withHint = (error: unknown, missing: readonly TemplateField[]): Failure =>
  new Failure({
    exit: exit.usage,
    code: 'missing_fields',
    message: error instanceof Error ? error.message : String(error),
    hint: `Add: ${missing.map(({ name, choices }) => `--set ${name}=${choices?.map(cleanLine).join('|') ?? 'VALUE'}`).join(' ')}`,
    cause: error,
  })

async function askFor(fields: readonly TemplateField[], context: Context): Promise<TemplateValues> {
  const values: Record<string, string> = {}
  for (const field of fields) values[field.name] = await askForOne(field, context)
  return values
}

async function askForOne({ name, choices }: TemplateField, context: Context): Promise<string> {
  const { keyboard, out } = context
  const offered =
    choices === null ? '' : ` (${choices.map((choice, index) => `${index + 1} ${cleanText(choice)}`).join(', ')})`
  for (;;) {
    const asked = await keyboard?.ask(`${name}${offered}: `, { signal: context.interrupted(), fresh: true })
    if (!asked || asked.line === null)
      throw new Failure({ exit: exit.interrupted, code: 'cancelled', message: 'Nothing was sent.' })
    const line = asked.line.trim()
    if (choices === null && line !== '') return asked.line
    const chosen = choices?.includes(line) ? line : /^\d{1,2}$/.test(line) ? choices?.[Number(line) - 1] : undefined
    if (chosen !== undefined) return chosen
    out.print(choices === null ? 'It needs a value. Ctrl-C cancels.' : 'Enter one of them, or its number.')
  }
}
