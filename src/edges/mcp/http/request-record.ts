import { maskSecretWords, maskSecretsInLine } from '../../../lib/secret-words.ts'
import { isRecord, jsonOrNull } from '../../../lib/parse-json.ts'

const header = 'x-signalbox-call'

/** The caller's own key for a call, which identifies a repeated call. */
export function callKeyOf(request: Request | undefined): string | null {
  const key = request?.headers.get(header) ?? null
  return key !== null && /^[\x21-\x7e]{1,200}$/.test(key) ? key : null
}

/** The request as it is stored: a line with the call key, if any, before the JSON. */
export function requestRecord(text: string, request: Request): string {
  const callKey = callKeyOf(request)
  const kept = withoutSecrets(text)
  return callKey === null ? kept : `#${callKey}\n${kept}`
}

/** Tools whose input is a command line, or part of one. */
const commandTools = ['start_session_monitor', 'send_session_input', 'check_auto_approve', 'auto_check']

/** Secrets are kept in memory only, so such a call is asked again after a restart. */
function withoutSecrets(text: string): string {
  if (!commandTools.some((name) => text.includes(name))) return text
  const message = jsonOrNull(text, isRecord)
  const params = message?.['params']
  if (!isRecord(params) || !commandTools.includes(String(params['name']))) return text
  return JSON.stringify({ ...message, params: { ...params, arguments: masked(params['arguments']) } })
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskSecretsInLine(value)
  if (Array.isArray(value)) return value.every((word) => typeof word === 'string') ? maskSecretWords(value) : value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, masked(part)]))
}

export function readRequestRecord(note: string): { text: string; callKey: string | null } {
  const end = note.indexOf('\n')
  return note.startsWith('#')
    ? { text: note.slice(end + 1), callKey: note.slice(1, end) }
    : { text: note, callKey: null }
}

/** Stands in for the original HTTP request. */
export const replayedRequest = (callKey: string | null): Request | undefined =>
  callKey === null ? undefined : new Request('http://localhost/mcp', { headers: { [header]: callKey } })
