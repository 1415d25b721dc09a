import type { Context } from './context.ts'

export type FlagSpec =
  | { readonly kind: 'switch'; readonly about: string }
  | { readonly kind: 'number'; readonly hint: string; readonly about: string; readonly least: number }
  | {
      readonly kind: 'text'
      readonly hint: string
      readonly about: string
      readonly values?: readonly string[]
      readonly several?: true
    }
  /** Can be repeated. */
  | { readonly kind: 'list'; readonly hint: string; readonly about: string }
export type Flags = Readonly<Record<string, FlagSpec>>

export type FlagValues<F extends Flags> = {
  readonly [N in keyof F]: F[N]['kind'] extends 'switch'
    ? boolean
    : F[N]['kind'] extends 'number'
      ? number | undefined
      : F[N]['kind'] extends 'list'
        ? readonly string[]
        : string | undefined
}

export type ArgSpec = {
  /** As shown in the usage line: `ID`. */
  readonly name: string
  readonly optional?: true
  /** Takes all following words. */
  readonly rest?: true
  readonly values?: readonly string[]
  /** The rows it names, for completion, if its name does not say so. */
  readonly of?:
    | 'session'
    | 'ask'
    | 'terminal'
    | 'alert'
    | 'agent'
    | 'repo'
    | 'user'
    | 'token'
    | 'group'
    | 'chat'
    | 'instance'
    | 'schedule'
    | 'template'
  /** May also come before the previous argument. */
  readonly eitherWay?: true
}

export type Invocation<F extends Flags = Flags> = {
  readonly args: readonly string[]
  /** Number of arguments before `--`, if there was one. */
  readonly dashes?: number
  readonly flags: FlagValues<F>
}

/** Resolves with the exit code if it is not 0. */
export type Handler<F extends Flags = Record<string, never>> = (
  invocation: Invocation<F>,
  context: Context,
) => Promise<number | void>

/** A command as data for parsing, help and completion. Its code is loaded when it runs. */
export type CommandSpec = {
  readonly name: string
  readonly summary: string
  readonly group?: string
  /** More text for the help of this command. */
  readonly more?: string
  readonly args: readonly ArgSpec[]
  readonly flags: Flags
  /** From the first word that is not a long flag, all words belong to another program. */
  readonly verbatim?: true
  readonly examples: readonly string[]
  readonly children: readonly CommandSpec[]
  readonly run: ((invocation: Invocation, context: Context) => Promise<number | void>) | null
}

type Base = Pick<CommandSpec, 'name' | 'summary'> &
  Partial<Pick<CommandSpec, 'group' | 'more' | 'args' | 'examples' | 'verbatim'>>

export function command<F extends Flags = Record<string, never>>(
  spec: Base & { readonly flags?: F; readonly load: () => Promise<Handler<F>> },
): CommandSpec {
  const { load, flags, ...rest } = spec
  return {
    args: [],
    examples: [],
    ...rest,
    children: [],
    flags: flags ?? {},
    // The parser built the values from these flags, so the types match.
    run: async (invocation, context) => (await load())(invocation as Invocation<F>, context),
  }
}

/** A group of commands. The group alone runs its `alone` child, if there is one. */
export function family(
  spec: Base & { readonly alone?: string; readonly children: readonly CommandSpec[] },
): CommandSpec {
  const { alone, children, ...rest } = spec
  const same = children.find(({ name }) => name === alone)
  return { examples: [], ...rest, args: same?.args ?? [], flags: same?.flags ?? {}, children, run: same?.run ?? null }
}

export const on = (about: string) => ({ kind: 'switch', about }) as const
export const number = (hint: string, about: string, least = 0) => ({ kind: 'number', hint, about, least }) as const
export const text = (hint: string, about: string) => ({ kind: 'text', hint, about }) as const
export const oneOf = (hint: string, about: string, values: readonly string[]) =>
  ({ kind: 'text', hint, about, values }) as const

export const list = (hint: string, about: string) => ({ kind: 'list', hint, about }) as const

/** One or more values, comma-separated. */
export const someOf = (hint: string, about: string, values: readonly string[]) =>
  ({ kind: 'text', hint, about, values, several: true }) as const

export const commonFlags = {
  json: on('Print JSON for programs'),
  config: text('FILE', 'Configuration file (default: SIGNALBOX_CONFIG, else config.toml in the data directory)'),
  home: text('DIR', 'Data directory (default: SIGNALBOX_HOME)'),
  url: text('URL', 'Use a remote server (default: SIGNALBOX_URL)'),
  token: text('TOKEN', 'Token for it (better: SIGNALBOX_TOKEN, which does not show in the process list)'),
  debug: on('Show the stack trace of an error'),
  help: on('Show help'),
} satisfies Flags
export type CommonFlags = FlagValues<typeof commonFlags>
