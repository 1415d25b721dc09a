import { exit, type ExitCode } from './exit.ts'

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
