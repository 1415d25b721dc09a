import type { House } from './house.ts'

/** So many sessions of the practice agent at once, each with a short turn; done when every turn is over. */
export async function startCrowd(
  house: House,
  count: number,
  isolation: 'none' | 'sandbox',
  prompt: string,
): Promise<string[]> {
  const over = Promise.withResolvers<void>()
  let turns = 0
  using listening = await house.listen('?type=queue.delivered', () => {
    turns += 1
    if (turns === count) over.resolve()
  })
  void listening.closed.then(() => over.reject(new Error(`the events ended after ${turns} turns`)))
  const wanted = { workspaceRoot: house.workspace, agent: 'practice', isolation, prompt }
  const start = async () => (await house.call<{ id: string }>('POST', '/api/sessions', wanted)).id
  const [ids] = await Promise.all([Promise.all(Array.from({ length: count }, start)), over.promise])
  return ids
}

export async function endCrowd(house: House, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.map((id) => house.call('POST', `/api/sessions/${id}/complete`)))
}
