import { ensureAgents } from '../../scripts/lib/agents.mjs'
import { Refusal, say } from '../../scripts/lib/say.mjs'

/** The agents are installed once, before their tests. Where that fails, only the tests of that agent do. */
export async function setup(): Promise<void> {
  await ensureAgents().catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error
    say(error.message)
  })
}
