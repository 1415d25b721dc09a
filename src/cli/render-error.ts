import { withProgramName } from './program-name.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { exit, exitOfStatus, type ExitCode, Failure } from './failure.ts'
import { formatJson } from './output.ts'

type RenderedFailure = { exit: ExitCode; code: string; message: string; hint?: string | undefined }

/** Recognized by shape, so that the client is not loaded to report a misspelt command. */
function failureOf(error: unknown): RenderedFailure {
  if (error instanceof Failure) {
    return { exit: error.exit, code: error.code, message: error.message, hint: error.hint }
  }
  if (!(error instanceof Error)) return { exit: exit.failed, code: 'unexpected', message: String(error) }
  if (error.name === 'ApiError' && 'status' in error && 'code' in error) {
    const hint = 'hint' in error && typeof error.hint === 'string' ? error.hint : undefined
    return { exit: exitOfStatus(Number(error.status)), code: String(error.code), message: error.message, hint }
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code.toLowerCase() : 'unexpected'
  return { exit: exit.failed, code, message: error.message, hint: 'Use --debug to see the stack trace.' }
}

export function renderError(error: unknown, form: { json: boolean; debug: boolean }): { exit: ExitCode; text: string } {
  const { exit: code, ...said } = failureOf(error)
  const message = said.code === 'usage' ? withProgramName(said.message) : said.message
  const what = { ...said, message, hint: said.hint === undefined ? undefined : withProgramName(said.hint) }
  const stack = form.debug && error instanceof Error ? cleanText(stackOf(error)) : null
  if (form.json) {
    const fields = { code: what.code, message: what.message, ...(what.hint === undefined ? {} : { hint: what.hint }) }
    return { exit: code, text: formatJson({ error: stack === null ? fields : { ...fields, stack } }, false) }
  }
  const lines = [`signalbox: ${cleanText(what.message).trimEnd()}`]
  if (what.hint !== undefined) lines.push(...what.hint.split('\n').map((line) => `  ${cleanLine(line)}`))
  if (stack !== null) lines.push(stack)
  return { exit: code, text: lines.join('\n') }
}

function stackOf(error: Error): string {
  const own = error.stack ?? error.message
  return error.cause instanceof Error ? `${own}\ncaused by ${stackOf(error.cause)}` : own
}
