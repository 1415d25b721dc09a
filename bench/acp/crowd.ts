import type { ServerHarness } from './harness.ts'

/** Runs this many practice sessions at once, each with a short turn; done when every turn is over. */
export async function startCrowd(
  harness: ServerHarness,
  count: number,
  isolation: 'none' | 'sandbox',
  prompt: string,
): Promise<string[]> {
  const over = Promise.withResolvers<void>()
  let turns = 0
  using listening = await harness.listen('?type=queue.delivered', () => {
    turns += 1
    if (turns === count) over.resolve()
  })
  void listening.closed.then(() => over.reject(new Error(`the events ended after ${turns} turns`)))
  const wanted = { workspaceRoot: harness.workspace, agent: 'practice', isolation, prompt }
  const start = async () => (await harness.call<{ id: string }>('POST', '/api/sessions', wanted)).id
  const [ids] = await Promise.all([Promise.all(Array.from({ length: count }, start)), over.promise])
  return ids
}

export async function endCrowd(harness: ServerHarness, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => harness.call('POST', `/api/sessions/${id}/complete`)))
}
