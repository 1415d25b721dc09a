import { ensureAgents } from '../../scripts/lib/agents.mjs'
import { Refusal, say } from '../../scripts/lib/say.mjs'

/** The agents are installed once, before their tests. If that fails, only that agent's tests fail. */
export async function setup(): Promise<void> {
  await ensureAgents().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
  })
}
