/** Exit codes for scripts. Documented in docs/cli.md. */
export const exit = {
  ok: 0,
  failed: 1,
  usage: 2,
  noServer: 3,
  refused: 4,
  notFound: 5,
  conflict: 6,
  limited: 7,
  waiting: 8,
  interrupted: 130,
} as const
export type ExitCode = (typeof exit)[keyof typeof exit]

export function exitOfStatus(status: number): ExitCode {
  if (status === 400 || status === 422) return exit.usage
  if (status === 401 || status === 403) return exit.refused
  if (status === 404) return exit.notFound
  if (status === 409) return exit.conflict
  return status === 429 ? exit.limited : exit.failed
}

/** A failure with a message and a hint. */
export class Failure extends Error {
  readonly exit: ExitCode
  readonly code: string
  readonly hint: string | undefined
  constructor(options: { exit: ExitCode; code: string; message: string; hint?: string | undefined; cause?: unknown }) {
    super(options.message, { cause: options.cause })
    this.name = 'Failure'
    this.exit = options.exit
    this.code = options.code
    this.hint = options.hint
  }
}

export const wrongUsage = (message: string, hint?: string): Failure =>
  new Failure({ exit: exit.usage, code: 'usage', message, hint })
