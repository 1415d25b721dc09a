import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { LoopAgent } from './loop-agent.ts'
import { differs, treeOf } from './loop-files.ts'
import type { LoopAsk, LoopOperator } from './loop-operator.ts'
import type { LoopServer } from './loop-server.ts'

type Checked = { server: LoopServer; agents: readonly LoopAgent[]; operator: LoopOperator }

/** What is wrong in the end, measured by what agents and operator were told on the way. */
export async function checkLoops({ server, agents, operator }: Checked): Promise<string[]> {
  const asks = await everyAsk(server)
  const byId = new Map(asks.map((ask) => [ask.id, ask]))
  const problems: string[] = []
  for (const id of operator.seen) if (!byId.has(id)) problems.push(`ask ${id} was seen in the inbox, and is gone`)
  for (const [id, { title, reason }] of operator.acknowledged)
    if (byId.get(id)?.answer?.reason !== reason)
      problems.push(`${title}: “${reason}” was acknowledged; kept is ${JSON.stringify(byId.get(id)?.answer)}`)
  for (const { name, root, version, asked, applied } of agents) {
    const wrong = differs(root, treeOf(name, version))
    if (wrong !== null) problems.push(`${name}: after ${version} changes: ${wrong}`)
    for (const [title, times] of asked) {
      const found = asks.filter((ask) => ask.title === title)
      // Who was told no while it was away may ask again.
      const most = applied.has(title) ? 1 : times
      if (found.length < 1 || found.length > most)
        problems.push(`${title}: asked ${times} times, there are ${found.length} asks`)
      const wanted = applied.has(title) ? 'consumed' : 'answered'
      for (const { status } of found) if (status !== wanted) problems.push(`${title} is ${status}, not ${wanted}`)
    }
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
