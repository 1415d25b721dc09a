import { isRecord, parseJson } from '../../lib/parse-json.ts'
import type { Result } from '../../lib/result.ts'
import type { PrecheckResult } from './ports.ts'

/** Whether the run starts, with what the script printed for the prompt. */
export type PrecheckVerdict =
  | { readonly kind: 'run'; readonly found: string | null }
  | { readonly kind: 'skip' | 'fail'; readonly reason: string }

const mostFound = 10_000

/** A script says no with its exit code, or with `{"wake": false}` as its last line; `data` there goes into the prompt. */
export function verdictOf(ran: Result<PrecheckResult>): PrecheckVerdict {
  if (!ran.ok) return { kind: 'fail', reason: `The precheck could not run: ${ran.fault.message}` }
  const { exitCode, stdout, stderr, timedOut } = ran.value
  if (timedOut) return { kind: 'fail', reason: 'The precheck took too long.' }
  const last = stdout.trim().split('\n').at(-1) ?? ''
  if (exitCode !== 0) {
    const said = (stderr.trim().split('\n').at(-1) || last).slice(0, 300)
    return { kind: 'skip', reason: `The precheck ended with exit code ${exitCode ?? 'none'}${said && `: ${said}`}` }
  }
  const read = parseJson(last, isRecord)
  if (!read.ok) return { kind: 'run', found: null }
  const { wake, data, reason } = read.value
  if (wake === false)
    return { kind: 'skip', reason: typeof reason === 'string' ? reason.slice(0, 300) : 'The precheck skipped the run.' }
  if (data === undefined) return { kind: 'run', found: null }
  const found = typeof data === 'string' ? data : JSON.stringify(data)
  return { kind: 'run', found: found.slice(0, mostFound) }
}

export const promptWith = (prompt: string, found: string | null): string =>
  found === null || found === '' ? prompt : `${prompt}\n\nThe precheck found:\n${found}`
