import { setTimeout as pause } from 'node:timers/promises'
import type { LoopServer } from './loop-server.ts'

export type LoopAsk = {
  id: string
  title: string
  status: string
  sessionId: string
  answer: { outcome: string; reason?: string } | null
}

/** Answers everything open, and remembers what the server acknowledged. */
export type LoopOperator = {
  readonly acknowledged: ReadonlyMap<string, { title: string; reason: string }>
  /** When each ask was first seen in the inbox. */
  readonly seen: ReadonlyMap<string, number>
  readonly problems: string[]
  run(stopped: () => boolean): Promise<void>
}

export type OperatorDeps = {
  server: LoopServer
  verdictOf(title: string): 'approved' | 'rejected'
  /** The agent of an ask, by the ask's title. */
  entered(title: string, phase: 'held' | 'answering' | 'answered'): Promise<void>
}

export function createLoopOperator({ server, verdictOf, entered }: OperatorDeps): LoopOperator {
  const acknowledged = new Map<string, { title: string; reason: string }>()
  const seen = new Map<string, number>()
  const problems: string[] = []
  const busy = new Set<string>()
  let given = 0

  async function answer({ id, title }: LoopAsk): Promise<void> {
    if (!seen.has(id)) seen.set(id, Date.now())
    busy.add(id)
    try {
      await entered(title, 'held')
      given += 1
      const reason = `word ${given}`
      void entered(title, 'answering')
      const outcome = verdictOf(title) === 'approved' ? 'approve' : 'reject'
      const reply = await server.owner.send('POST', `/api/asks/${id}/answer`, { body: { outcome, reason } })
      if (reply.status === 200) {
        if (acknowledged.has(id)) problems.push(`${title} was answered twice`)
        acknowledged.set(id, { title, reason })
        await entered(title, 'answered')
      } else if (reply.status !== 409 && reply.status !== 503)
        problems.push(`${title}: the answer was refused: ${reply.status} ${reply.text}`)
    } catch {
      // The server went away: if the ask is still open it is answered again.
    } finally {
      busy.delete(id)
    }
  }

  return {
    acknowledged,
    seen,
    problems,
    async run(stopped) {
      while (!stopped()) {
        try {
          // What is acknowledged while the list is being read may still be open in it.
          const before = new Set(acknowledged.keys())
          const { asks } = await server.owner.get<{ asks: LoopAsk[] }>('/api/asks?status=open&limit=100')
          for (const ask of asks) {
            if (before.has(ask.id)) problems.push(`${ask.title}: its answer was acknowledged, and is open again`)
            if (!busy.has(ask.id) && !acknowledged.has(ask.id)) void answer(ask)
          }
        } catch {
          // Between two runs.
        }
        await pause(15)
      }
    },
  }
}
