import * as z from 'zod'
import { maskSecretWords, maskSecretsInLine } from '../../lib/secret-words.ts'
import { shellLine, shellWord, visibleLine, visibleText } from '../../lib/shell-words.ts'
import { SessionId } from '../session/id.ts'

const text = z.string().max(4_000_000)
const path = z.string().min(1).max(4096)
const argv = z.array(z.string().max(100_000)).min(1).max(1001)
const kind = <K extends string, S extends z.ZodRawShape>(name: K, shape: S) =>
  z.strictObject({ kind: z.literal(name), ...shape })
const terminal = {
  cwd: path,
  terminalId: SessionId.nullable(),
  parentId: SessionId.nullable(),
  metadata: z.record(z.string(), z.string()),
}

/** What an approval starts. The command line that people see is built from it, and nothing else is run. */
export const Run = z
  .discriminatedUnion('kind', [
    kind('terminal', { argv, ...terminal }),
    kind('login', { host: z.string().min(1), user: z.string().min(1).nullable(), ...terminal }),
    kind('input', {
      terminalId: SessionId,
      promptId: z.string(),
      text,
      keys: z.array(z.string()),
      pressEnter: z.boolean(),
    }),
    /** A program for an ACP agent, as arguments or as a shell line. */
    kind('process', {
      argv: argv.nullable(),
      script: text.nullable(),
      cwd: path,
      env: z.record(z.string(), z.string()),
    }),
  ])
  .meta({ id: 'Run' })
export type Run = z.infer<typeof Run>

/** What is run, in one line. */
export function commandLine(run: Run): string {
  switch (run.kind) {
    case 'terminal':
      return shellLine(run.argv)
    case 'login':
      return shellLine(loginWords(run))
    case 'input':
      return [
        ...(run.text === '' ? [] : [visibleText(run.text)]),
        ...run.keys.map((key) => `<${key}>`),
        ...enter(run),
      ].join(' ')
    case 'process':
      return [
        ...Object.entries(run.env).map(([name, value]) => `${name}=${shellWord(value)}`),
        run.argv === null ? visibleText(run.script ?? '') : shellLine(run.argv),
      ].join(' ')
    default:
      return run satisfies never
  }
}

/** People expect Enter after text, so only the exceptions are shown. */
const enter = ({ text: typed, keys, pressEnter }: Extract<Run, { kind: 'input' }>): string[] =>
  pressEnter ? (typed === '' && keys.length === 0 ? ['<enter>'] : []) : ['(without Enter)']

/** `--` ends the options, so a host is never read as one. */
export const loginWords = ({ host, user }: { host: string; user: string | null }): string[] => [
  'ssh',
  '-t',
  '--',
  user === null ? host : `${user}@${host}`,
]

const placeOf = (run: Run): string => (run.kind === 'input' ? `terminal ${run.terminalId}` : run.cwd)

/** With secrets masked, for storing and showing. Nothing that could run is hidden. */
export function maskedRun(run: Run): Run {
  switch (run.kind) {
    case 'terminal':
      return { ...run, argv: maskSecretWords(run.argv), metadata: maskedTexts(run.metadata) }
    case 'login':
      return { ...run, metadata: maskedTexts(run.metadata) }
    case 'input':
      return { ...run, text: maskSecretsInLine(run.text) }
    case 'process':
      return {
        ...run,
        argv: run.argv && maskSecretWords(run.argv),
        script: run.script === null ? null : maskSecretsInLine(run.script),
        env: maskedVariables(run.env),
      }
    default:
      return run satisfies never
  }
}

const maskedTexts = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, maskSecretsInLine(value)]))

const maskedVariables = (variables: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      maskSecretWords([`${name}=${value}`])[0]?.slice(name.length + 1) ?? '',
    ]),
  )

/** The subject of an ask about this run. */
export const runSubject = (run: Run) => ({
  kind: 'command' as const,
  command: commandLine(run),
  cwd: placeOf(run),
  run,
})

/** The title of an ask about this run. */
export const runTitle = (run: Run): string => visibleLine(commandLine(run), 500) || 'Enter, and nothing before it'
