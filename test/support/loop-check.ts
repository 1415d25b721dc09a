import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LoopAgent } from './loop-agent.ts'
import { differs, treeOf } from './loop-files.ts'
import type { LoopAsk, LoopOperator } from './loop-operator.ts'
import type { LoopServer } from './loop-server.ts'

type Checked = { server: LoopServer; agents: readonly LoopAgent[]; operator: LoopOperator }

/** What is wrong in the end, compared with what agents and operator were told. */
export async function checkLoops({ server, agents, operator }: Checked): Promise<string[]> {
  const asks = await everyAsk(server)
  const byId = new Map(asks.map((ask) => [ask.id, ask]))
  const problems: string[] = []
  for (const id of operator.seen.keys())
    if (!byId.has(id)) problems.push(`ask ${id} was seen in the inbox, and is gone`)
  for (const [id, { title, reason }] of operator.acknowledged)
    if (byId.get(id)?.answer?.reason !== reason)
      problems.push(`${title}: “${reason}” was acknowledged; kept is ${JSON.stringify(byId.get(id)?.answer)}`)
  for (const { name, root, version, asked, untold, applied } of agents) {
    const wrong = differs(root, treeOf(name, version))
    if (wrong !== null) problems.push(`${name}: after ${version} changes: ${wrong}`)
    for (const [title, times] of asked) {
      const found = asks.filter((ask) => ask.title === title)
      if (found.length < 1 || found.length > times)
        problems.push(`${title}: asked ${times} times, there are ${found.length} asks`)
      for (const { id, status } of found) {
        const wanted = applied.get(title) === id ? 'consumed' : 'answered'
        if (status !== wanted) problems.push(`${title} (${id}) is ${status}, not ${wanted}`)
      }
    }
    // Asked twice only if the first call was still under way when its agent looked for it: the client was killed, not the server.
    for (const { title, since } of untold)
      for (const { id } of asks.filter((ask) => ask.title === title))
        if ((operator.seen.get(id) ?? since) < since)
          problems.push(`${title}: ask ${id} was in the inbox, and recover_state did not tell of it`)
  }
  const journals = readdirSync(join(server.home, 'journal'))
  if (journals.length > 0) problems.push(`left in the journal: ${journals.join(', ')}`)
  return problems
}

async function everyAsk({ owner }: LoopServer): Promise<LoopAsk[]> {
  const all: LoopAsk[] = []
  let before = ''
  for (;;) {
    const path = `/api/asks?limit=100${before}`
    const { asks, next } = await owner.get<{ asks: LoopAsk[]; next: string | null }>(path)
    all.push(...asks)
    if (next === null) return all
    before = `&before=${encodeURIComponent(next)}`
  }
}
