import type { TerminalView } from '../../src/client/contract/terminals.ts'
import { keyedFetch } from '../api/keyed-fetch.ts'

export type ScreenSnapshot = { screen: string; offset: number; cols: number; rows: number }

/** A refusal with the server's message. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The streams of one terminal, and what rendering needs. */
export function terminalApi(id: string) {
  const at = (path: string) => `/api/terminals/${encodeURIComponent(id)}${path}`
  const json = async <T>(path: string, signal: AbortSignal): Promise<T> => (await opened(at(path), signal)).json()
  return {
    get: (signal: AbortSignal) => json<TerminalView>('', signal),
    screen: (signal: AbortSignal) => json<ScreenSnapshot>('/screen?format=scrollback', signal),
    live: (from: number, signal: AbortSignal) => opened(at(`/live?from=${from}`), signal),
    cast: (signal: AbortSignal) => opened(at('/cast'), signal),
  }
}
export type TerminalApi = ReturnType<typeof terminalApi>

export const castAddress = (id: string): string => `/api/terminals/${encodeURIComponent(id)}/cast`

async function opened(path: string, signal: AbortSignal): Promise<Response> {
  const response = await keyedFetch(path, { signal })
  if (response.ok) return response
  throw new Refused(response.status, await wordsOf(response))
}

async function wordsOf(response: Response): Promise<string> {
  const body = await response.json().catch(() => null)
  const { message, hint } = body?.error ?? {}
  return [message ?? `The server answered ${response.status}.`, hint].filter(Boolean).join(' ')
}
