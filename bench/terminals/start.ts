import type { House } from '../acp/house.ts'

/** Runs a program in a terminal; gives its session. */
export async function startTerminal(house: House, command: readonly string[]): Promise<string> {
  const body = { sessionType: 'script', command }
  const { sessionId } = await house.call<{ sessionId: string }>('POST', '/api/terminals', body)
  return sessionId
}
