import { setTimeout as pause } from 'node:timers/promises'
import { connectLoopClient, type LoopClient, type Said, type Spot, type Way } from './loop-client.ts'
import { diffTo, differs, treeOf } from './loop-files.ts'
import type { LoopServer } from './loop-server.ts'

/** The agent's phase in its round. */
export type Phase = 'resting' | 'asking' | 'held' | 'answering' | 'answered' | 'accepting' | 'recovering'

/** An agent that asks, waits, and has its changes written, round after round. */
export type LoopAgent = {
  readonly name: string
  readonly way: Way
  readonly root: string
  phase: Phase
  /** Made progress in this run of the server. */
  moved: boolean
  /** Its client is being started: a bad moment to kill the server, because the client would start one. */
  connecting: boolean
  /** The current state of its files, and the possible next one. */
  readonly version: number
  readonly rounds: number
  readonly problems: string[]
  /** How often each round was asked for, by title. */
  readonly asked: ReadonlyMap<string, number>
  /** Rounds whose answer it lost and was told nothing about, and when it asked for its state. */
  readonly untold: readonly { title: string; since: number }[]
  /** Ids of written rounds, by title. */
  readonly applied: ReadonlyMap<string, string>
  /** How accept_diff was answered, and how answers came back. */
  readonly tally: Map<string, number>
  killClient(): Promise<void>
  run(stopped: () => boolean): Promise<void>
}

export type LoopAgentDeps = {
  server: LoopServer
  name: string
  way: Way
  spot: Spot
  /** The operator's future answer. */
  verdictOf(title: string): 'approved' | 'rejected'
  entered(agent: LoopAgent, phase: Phase): void
}

type Pending = { request_id: string; title: string }

const patienceMs = 45_000

export function createLoopAgent({ server, name, way, spot, verdictOf, entered }: LoopAgentDeps): LoopAgent {
  const problems: string[] = []
  const asked = new Map<string, number>()
  const untold: { title: string; since: number }[] = []
  const applied = new Map<string, string>()
  const tally = new Map<string, number>()
  let client: LoopClient | null = null
  let version = 0
  let rounds = 0

  const count = (what: string) => tally.set(what, (tally.get(what) ?? 0) + 1)
  const enter = (phase: Phase) => {
    agent.phase = phase
    agent.moved = true
    entered(agent, phase)
  }

  async function connected(): Promise<LoopClient> {
    for (;;) {
      if (!server.alive || server.door.shut) {
        await pause(20)
        continue
      }
      if (client) return client
      agent.connecting = true
      try {
        client = await connectLoopClient(server, way, spot)
      } catch {
        await pause(50)
      } finally {
        agent.connecting = false
      }
    }
  }

  /** The answer; null if the connection broke and the outcome is unknown. */
  async function call(tool: string, input: Record<string, unknown>): Promise<Said | null> {
    const began = Date.now()
    const through = await connected()
    try {
      return await through.call(tool, input, { seconds: patienceMs / 1000 })
    } catch (error) {
      if (Date.now() - began > patienceMs - 1000) problems.push(`${name}: ${tool} was never answered: ${String(error)}`)
      count(`${tool} broke`)
      await pause(20)
      return null
    }
  }

  /** Like an agent that lost its answer: asks for its state. */
  async function recover(): Promise<{ pending: Pending[]; since: number }> {
    enter('recovering')
    for (;;) {
      const since = Date.now()
      const said = await call('recover_state', {})
      if (said === null) continue
      if (said.isError) problems.push(`${name}: recover_state: ${JSON.stringify(said)}`)
      return { pending: (said['pending_requests'] ?? []) as Pending[], since }
    }
  }

  async function pendingOf(title: string): Promise<string | null> {
    const { pending, since } = await recover()
    const found = pending.find((request) => request.title === title)
    if (!found) untold.push({ title, since })
    return found?.request_id ?? null
  }

  /** The ask in the way: of this round, opened by a call whose answer was lost; else one to wait for. */
  async function isOfRound(id: string, title: string): Promise<boolean> {
    const { pending } = await recover()
    const found = pending.find(({ request_id }) => request_id === id)
    // Of an earlier round only if that was asked for twice: the client was killed before the first call was through.
    if (found?.title !== title && (asked.get(found?.title ?? '') ?? 0) < 2)
      problems.push(`${name}: ${title}: ${id} is pending, and not of this round`)
    return found?.title === title
  }

  async function approval(title: string): Promise<string | null> {
    let id: string | null = null
    for (;;) {
      enter('asking')
      if (id === null) asked.set(title, (asked.get(title) ?? 0) + 1)
      const fresh = { title, diff: diffTo(name, version + 1), file_path: 'a.txt' }
      const said: Said | null = await call('ask_approval', id === null ? fresh : { request_id: id })
      if (said === null) {
        id = await pendingOf(title)
        continue
      }
      if (said.isError && said['error_code'] === 'approval_pending') {
        const other = String(said['request_id'])
        if (await isOfRound(other, title)) id = other
        else await call('ask_approval', { request_id: other })
        continue
      }
      if (said['status'] === 'pending') {
        id = String(said['request_id'])
        continue
      }
      if (said['status'] !== verdictOf(title)) problems.push(`${name}: ${title} was answered ${JSON.stringify(said)}`)
      return said['status'] === 'approved' ? String(said['request_id']) : null
    }
  }

  async function write(title: string, id: string): Promise<void> {
    let broke = false
    for (;;) {
      enter('accepting')
      const said = await call('accept_diff', { request_id: id })
      if (said === null) {
        broke = true
        await recover()
        continue
      }
      const how = String(said['status'] === 'error' ? said['error_code'] : said['status'])
      count(broke ? `${how} after a break` : how)
      // A resumed call reports what it did; only a new one meets what the first has done.
      if (how !== 'applied' && !(broke && how === 'already_consumed'))
        problems.push(`${name}: ${title}: accept_diff: ${JSON.stringify(said)}`)
      break
    }
    const wrong = differs(spot.path, treeOf(name, version + 1))
    if (wrong !== null) problems.push(`${name}: ${title} is written, and differs: ${wrong}`)
    applied.set(title, id)
    version += 1
  }

  const agent: LoopAgent = {
    name,
    way,
    root: spot.path,
    phase: 'resting',
    moved: false,
    connecting: false,
    get version() {
      return version
    },
    get rounds() {
      return rounds
    },
    problems,
    asked,
    untold,
    applied,
    tally,
    async killClient() {
      const old = client
      client = null
      await old?.kill()
    },
    async run(stopped) {
      while (!stopped() && problems.length === 0) {
        const title = `${name} ${rounds}`
        const id = await approval(title)
        if (id !== null) await write(title, id)
        rounds += 1
        enter('resting')
      }
      await agent.killClient()
    },
  }
  return agent
}
