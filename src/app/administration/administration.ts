import { hasEffect, isSettled } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { asksToCarryOut } from '../../domain/ask/store-administration.ts'
import { loadAsk, type LoadedAsk } from '../../domain/ask/store.ts'
import { isGroupKind } from '../../domain/ask/kinds.ts'
import { dropOffer, keepOffer, sealedCredentials } from '../../domain/credential/store.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'
import type { Database } from '../../db/open.ts'
import { backoff } from '../../lib/backoff.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import { ok, type Result } from '../../lib/result.ts'
import { createWakeSignal } from '../../lib/wake-signal.ts'
import type { App } from '../app.ts'
import { isOf } from '../events.ts'
import type { Guard } from '../follow.ts'
import type { CredentialAnswers } from '../use-cases/answer-ask.ts'
import { openAskLog } from './ask-log.ts'
import { carryOut, TryAgain, type Effect } from './carry-out.ts'
import { createExpected, type Expected } from './expected-asks.ts'
import type { AdministrationPorts } from './ports.ts'
import { createRequests, type Requests } from './requests.ts'
import { createTelling } from './tell.ts'

/** Carries out what administrators approved, and tells the agents that asked for it. */
export type Administration = AsyncDisposable &
  Expected &
  Requests & {
    readonly credentials: CredentialAnswers
    /** The secrets that requests of a group get, by host. For the gate alone. */
    secretsOf(id: AgentGroupId): Promise<Result<{ host: string; name: string; value: string }[]>>
    /** Continues what an earlier server of this node began, and follows the log. */
    start(): Promise<void>
  }

export type AdministrationDeps = {
  app: App
  database: Database
  clock: Clock
  log: Logger
  nodeId: string
  ports: AdministrationPorts
  holdMs: number
}

const system: Actor = { kind: 'system', name: 'administration' }

export function createAdministration(deps: AdministrationDeps): Administration {
  const { app, database, clock, log, nodeId, ports } = deps
  const { read, write } = database
  const running = new Map<AskId, Promise<void>>()
  const stopping = new AbortController()
  const expected = createExpected()
  const telling = createTelling({ app, database, ports, expected })
  let following: AsyncDisposable | null = null

  /** Several at a time: building an image delays nothing else. */
  function begin(id: AskId): void {
    if (running.has(id) || stopping.signal.aborted) return
    const work = untilDone(id).finally(() => running.delete(id))
    running.set(id, work)
  }

  async function untilDone(id: AskId): Promise<void> {
    for (let attempt = 1; !stopping.signal.aborted; attempt += 1) {
      try {
        return await finish(id)
      } catch (error) {
        if (stopping.signal.aborted) return
        const level = error instanceof TryAgain ? 'info' : 'error'
        log[level]({ ask: id, attempt, error: String(error) }, 'an approved ask could not be carried out; trying again')
        await createWakeSignal().after(0, backoff(attempt, 100, 30_000), stopping.signal)
      }
    }
  }

  async function finish(id: AskId): Promise<void> {
    const ask = await loadAsk(read, id)
    if (ask?.status !== 'applying') return
    const done = await carriedOut(ask)
    if (stopping.signal.aborted) return
    if (done.ok) {
      await telling.done(ask, done.value)
      await settle({ type: 'ask.consume', id, result: done.value.result })
    } else {
      const reason = done.fault.message
      log.warn({ ask: id, code: done.fault.code }, 'an approved ask failed')
      await telling.failed(ask, reason)
      await settle({ type: 'ask.fail', id, reason: reason.slice(0, 2000) })
    }
  }

  async function carriedOut(ask: LoadedAsk): Promise<Result<Effect>> {
    await using lines = openAskLog({ database, clock }, ask.id)
    const done = await carryOut({ app, database, ports }, ask, lines.line)
    if (!done.ok) lines.line(`Failed: ${done.fault.message}`)
    return done
  }

  async function settle(command: Parameters<typeof app.dispatch>[0]): Promise<void> {
    const done = await app.dispatch(command, system)
    if (!done.ok && done.fault.code !== 'not_applying') throw new TryAgain(done.fault.message)
  }

  /** Claimed for this node before it begins, so that this node finishes it after a crash. */
  async function take(id: AskId, guard: Guard): Promise<void> {
    const ask = await loadAsk(read, id)
    if (!ask || !isGroupKind(ask.subject.kind) || ask.status === 'open') return
    if (ask.status === 'answered' && ask.answer !== null && hasEffect(ask.subject.kind, ask.answer)) {
      const claimed = await app.dispatch({ type: 'ask.claim', id, node: nodeId }, system, { guard })
      if (!claimed.ok && claimed.fault.code !== 'already_consumed') throw new Error(claimed.fault.message)
      return begin(id)
    }
    if (isSettled({ ...ask, kind: ask.subject.kind }) && (ask.status === 'answered' || ask.status === 'expired'))
      await telling.refused(ask)
  }

  return {
    ...expected,
    ...createRequests({ app, database, expected, holdMs: deps.holdMs }),
    credentials: {
      async offer(askId, userId, value) {
        const vault = await ports.vault()
        if (!vault.ok) return vault
        const sealed = vault.value.seal(value, ownerOf(await groupOf(askId)))
        await keepOffer(write, { askId, userId, sealed, at: iso(clock.now()) })
        return ok(undefined)
      },
      withdraw: (askId, userId) => dropOffer(write, askId, userId),
    },
    async secretsOf(id) {
      const rows = await sealedCredentials(read, id)
      if (rows.length === 0) return ok([])
      const vault = await ports.vault()
      if (!vault.ok) return vault
      const opened: { host: string; name: string; value: string }[] = []
      for (const { host, name, sealed } of rows) {
        const value = vault.value.open(sealed, ownerOf(id))
        if (!value.ok) return value
        opened.push({ host, name, value: value.value })
      }
      return ok(opened)
    },
    async start() {
      for (const id of await asksToCarryOut(read, nodeId)) begin(id)
      following = app.follow.run({
        name: 'administration',
        scope: 'single',
        from: 'now',
        types: ['ask.answered', 'ask.expired'],
        async handle(event, guard) {
          if (isOf(event, 'ask') && (event.type === 'ask.answered' || event.type === 'ask.expired'))
            await take(event.data.id, guard)
        },
      })
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await following?.[Symbol.asyncDispose]()
      // A build may take minutes; it is repeated by the next server.
      const late = new Promise<void>((resolve) => setTimeout(resolve, 2000).unref())
      await Promise.race([Promise.allSettled(running.values()), late])
    },
  }

  async function groupOf(askId: AskId): Promise<AgentGroupId | null> {
    return (await loadAsk(read, askId))?.agentGroupId ?? null
  }
}

/** A sealed value can't be moved to another group. */
const ownerOf = (id: AgentGroupId | null): string => `credential ${id ?? ''}`
