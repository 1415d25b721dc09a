import { ensureAgents } from '../../scripts/lib/agents.mjs'

/** The agents' tests get their agents here: installed once, kept for the next run. */
export async function setup(): Promise<void> {
  await ensureAgents()
}
