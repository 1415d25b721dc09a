import type { TerminalView } from '../src/client/contract/terminals.ts'

export type { TerminalView }
export type Screen = { screen: string; offset: number; cols: number; rows: number }
export type Input = { text: string; keys: string[]; expectPrompt?: string; secret: boolean }
export type Typed = { status: 'delivered' | 'refused_stale' | 'refused_unreadable' | 'unverified'; screenAfter: string }

/** What the server refused, in its words. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The API for one terminal, as whoever is signed in here. */
export function terminalApi(id: string) {
  const at = (path: string) => `/api/terminals/${id}${path}`
  const json = async <T>(path: string, init: RequestInit): Promise<T> => (await opened(at(path), init)).json()
  return {
    get: (signal: AbortSignal) => json<TerminalView>('', { signal }),
    screen: (signal: AbortSignal) => json<Screen>('/screen?format=ansi', { signal }),
    live: (from: number, signal: AbortSignal) => opened(at(`/live?from=${from}`), { signal }),
    cast: (signal: AbortSignal) => opened(at('/cast'), { signal }),
    type: (input: Input) =>
      json<Typed>('/input', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      }),
  }
}
export type TerminalApi = ReturnType<typeof terminalApi>

async function opened(path: string, init: RequestInit): Promise<Response> {
  const response = await fetch(path, init)
  if (response.ok) return response
  throw new Refused(response.status, await wordsOf(response))
}

async function wordsOf(response: Response): Promise<string> {
  const body = await response.json().catch(() => null)
  const { message, hint } = body?.error ?? {}
  return [message ?? `The server answered with ${response.status}.`, hint].filter(Boolean).join(' ')
}
