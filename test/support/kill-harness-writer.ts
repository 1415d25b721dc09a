import type { Agent } from 'node:http'
import { request, type Reply } from './kill-harness-http.ts'
import type { Acknowledged, Journal, Operation, OperationKind } from './kill-harness-journal.ts'

/** The current server, and how long a writer keeps writing. */
export type Load = { socketPath: string; agent: Agent; stopped(): boolean }

export type Writer = {
  /** Writes one thing after another until asked to stop or until no answer comes. */
  run(load: Load): Promise<void>
  /** Repeats only what got no answer. */
  settle(load: Load): Promise<void>
}

/** Asks that anyone may answer, first come, first served. */
export type OpenAsks = string[]

const created = 201
const done = 200
const statusFor: Readonly<Record<OperationKind, number>> = {
  session: created,
  message: created,
  ask: created,
  answer: done,
  complete: done,
}

export function createWriter(name: string, journal: Journal, openAsks: OpenAsks, random: () => number): Writer {
  const sessions: string[] = []
  const keyed: Acknowledged[] = []
  let pending: Operation | null = null
  let count = 0

  function nextOperation(): Operation {
    count += 1
    const mark = `${name}-${count}`
    const key = random() < 0.6 ? `key-${mark}` : null
    const make = (kind: OperationKind, path: string, target: string | null, body: Operation['body']) => ({
      kind,
      mark,
      path,
      body,
      key,
      target,
    })
    const session = sessions.at(-1)
    const dice = random()
    if (session === undefined || dice < 0.03)
      return make('session', '/api/sessions', null, { protocolMode: 'mcp', prompt: mark, metadata: { mark, n: count } })
    if (dice < 0.06) {
      sessions.pop()
      return make('complete', `/api/sessions/${session}/complete`, session, { reason: mark })
    }
    const ask = openAsks[Math.floor(random() * openAsks.length)]
    if (dice < 0.3 && ask !== undefined)
      return make('answer', `/api/asks/${ask}/answer`, ask, { outcome: 'reply', value: mark })
    if (dice < 0.55)
      return make('ask', `/api/sessions/${session}/asks`, session, {
        title: mark,
        subject: { kind: 'question', question: `What about ${mark}?`, options: [], freeText: true },
        timeoutSeconds: count % 2 === 0 ? 86_400 : 0,
      })
    const content = { type: 'text', text: `${mark} ${'é'.repeat(Math.floor(random() * 400))}` }
    return make('message', `/api/sessions/${session}/messages`, session, { role: 'agent', content })
  }

  const send = (operation: Operation, { socketPath, agent }: Load): Promise<Reply> =>
    request(socketPath, {
      method: 'POST',
      path: operation.path,
      body: operation.body,
      agent,
      headers: operation.key === null ? {} : { 'idempotency-key': operation.key },
    })

  /** False if no answer came. */
  async function perform(operation: Operation, load: Load): Promise<boolean> {
    pending = operation
    let reply: Reply
    try {
      reply = await send(operation, load)
    } catch {
      return false
    }
    pending = null
    record(operation, reply)
    return true
  }

  function record(operation: Operation, reply: Reply): void {
    if (operation.kind === 'answer') remove(openAsks, operation.target)
    if (reply.status !== statusFor[operation.kind]) {
      journal.refused.push({ operation, reply })
      if (reply.status !== 409)
        journal.faults.push(`${operation.mark} ${operation.kind}: ${reply.status} ${reply.text}`)
      return
    }
    const entry = { operation, body: reply.body }
    journal.acknowledged.push(entry)
    if (operation.key !== null) keyed.push(entry)
    const id = String(reply.body['id'])
    if (operation.kind === 'session') sessions.push(id)
    if (operation.kind === 'ask') openAsks.push(id)
  }

  /** A client that lost its answer asks again: it must get the same result. */
  async function repeatOne(load: Load): Promise<boolean> {
    const entry = keyed[Math.floor(random() * keyed.length)]
    if (!entry) return true
    let reply: Reply
    try {
      reply = await send(entry.operation, load)
    } catch {
      return false
    }
    journal.repeats += 1
    if (reply.status !== statusFor[entry.operation.kind] || reply.body['id'] !== entry.body['id'])
      journal.faults.push(`repeated ${entry.operation.mark}: ${reply.status} ${reply.text}`)
    return true
  }

  async function settle(load: Load): Promise<void> {
    const operation = pending
    if (operation === null) return
    if (operation.key !== null) await perform(operation, load)
    else {
      journal.unknown.push(operation)
      pending = null
    }
  }

  return {
    settle,
    async run(load) {
      await settle(load)
      while (pending === null && !load.stopped()) {
        const went = random() < 0.04 ? await repeatOne(load) : await perform(nextOperation(), load)
        if (!went) return
      }
    },
  }
}

function remove(list: string[], item: string | null): void {
  const at = item === null ? -1 : list.indexOf(item)
  if (at >= 0) list.splice(at, 1)
}
