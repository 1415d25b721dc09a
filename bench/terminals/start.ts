import type { ServerHarness } from '../acp/harness.ts'

/** Runs a program in a terminal; returns its session. */
export async function startTerminal(harness: ServerHarness, command: readonly string[]): Promise<string> {
  const body = { sessionType: 'script', command }
  const { sessionId } = await harness.call<{ sessionId: string }>('POST', '/api/terminals', body)
  return sessionId
}
