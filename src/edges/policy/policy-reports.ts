import type { App } from '../../app/app.ts'
import type { AskId } from '../../domain/ask/schema.ts'
import type { EventId } from '../../domain/audit/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Policies } from './policies.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'

const policyStanding = systemStanding('policy')

type Tally = { first: EventId; rules: Map<string, number>; timer: Disposable }

/**
 * Reports to the people of a session what the policy answered: each answer, or a summary at intervals (R19). Every node
 * listens, because only some can read the workspace's policy; reports are keyed by event, so each is sent once.
 */
export function startPolicyReports(deps: { app: App; policies: Policies; clock: Clock; log: Logger }): AsyncDisposable {
  const { app, policies, clock, log } = deps
  const tallies = new Map<SessionId, Tally>()
  const queue = createSerialQueue()
  let isStopped = false

  async function countAnswer(event: EventId, askId: AskId, sessionId: SessionId, rule: string): Promise<void> {
    const session = await app.read.session(policyStanding, sessionId)
    if (!session.ok) return
    const { file } = await policies.inForce(session.value.workspaceRoot)
    if (file?.logAutoApproved) {
      const ask = await app.read.ask(policyStanding, askId)
      if (ask.ok) await report(sessionId, `Answered by policy (${rule}): ${ask.value.title}`, `report ${event}`)
    }
    if (file && file.summaryIntervalSeconds > 0) count(event, sessionId, rule, file.summaryIntervalSeconds * 1000)
  }

  function count(event: EventId, sessionId: SessionId, rule: string, intervalMs: number): void {
    const tally = tallies.get(sessionId) ?? {
      first: event,
      rules: new Map(),
      timer: clock.at(clock.now() + intervalMs, () => {
        if (!isStopped) queue.run(() => sendSummary(sessionId)).catch(logFailure)
      }),
    }
    tally.rules.set(rule, (tally.rules.get(rule) ?? 0) + 1)
    tallies.set(sessionId, tally)
  }

  async function sendSummary(sessionId: SessionId): Promise<void> {
    const tally = tallies.get(sessionId)
    if (!tally) return
    tallies.delete(sessionId)
    tally.timer[Symbol.dispose]()
    const rules = [...tally.rules].toSorted((a, b) => b[1] - a[1])
    const total = rules.reduce((before, [, count]) => before + count, 0)
    const list = rules.slice(0, 10).map(([rule, times]) => `${rule} ×${times}`)
    const more = rules.length > list.length ? [`and ${rules.length - list.length} more rules`] : []
    await report(
      sessionId,
      `Policy answered ${total} ask${total === 1 ? '' : 's'} for you: ${[...list, ...more].join(', ')}`,
      `summary ${tally.first}`,
    )
  }

  async function report(id: SessionId, text: string, key: string): Promise<void> {
    const command = { type: 'session.alert' as const, id, what: 'policy' as const, text: text.slice(0, 10_000) }
    await app.dispatch(command, policyStanding.actor, { key, fingerprint: id })
  }

  const logFailure = (error: unknown) =>
    log.warn({ error: String(error) }, 'a report of automatic answers could not be sent')

  const listening = app.tail.listen((events) => {
    for (const event of events) {
      if (event.type !== 'ask.answered' || !event.data.automatic) continue
      const { id, by, sessionId } = event.data
      // Signalbox's own tools are not answered by a policy of the workspace.
      if (sessionId === null || !by.startsWith('policy:') || by === 'policy:own-tool') continue
      const rule = by.slice('policy:'.length)
      queue.run(() => countAnswer(event.id, id, sessionId, rule)).catch(logFailure)
    }
  })

  return {
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      isStopped = true
      // Count what is queued, then send the summaries before stopping.
      await queue.idle()
      for (const id of tallies.keys()) await sendSummary(id).catch(logFailure)
    },
  }
}
