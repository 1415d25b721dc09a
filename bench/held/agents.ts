// The agents of both sides, and the person who answers, in one process.
import { answerCalls } from '../lib/answer-calls.ts'
import { connectAgent, type Agent, type Door, type HeldCall } from './agent.ts'
import { openPost, type Post } from './post.ts'

export type OpenAgents = { ours: Door; peer: Door; port: number; personToken: string; agents: number }
export type Times = { p50: number; p99: number }
export type Round = { ours: Times; peer: Times }

let ours: Agent[] = []
let peer: Agent[] = []
let held: HeldCall[] = []
let person: Post | undefined

const yes = { outcome: 'continue' }

async function answer(askId: string): Promise<void> {
  if (!person) throw new Error('nobody is there to answer')
  await person.post(`/api/asks/${askId}/answer`, yes)
}

async function connectAll(door: Door, count: number): Promise<Agent[]> {
  const agents: Agent[] = []
  // A few at a time: connecting is not measured.
  while (agents.length < count) {
    const more = Array.from({ length: Math.min(10, count - agents.length) }, () => connectAgent(door))
    agents.push(...(await Promise.all(more)))
  }
  return agents
}

const since = (started: number): number => performance.now() - started

async function echoed(agent: Agent): Promise<number> {
  const started = performance.now()
  await agent.echo()
  return since(started)
}

/** From the moment the answer is sent until the held call has its result. */
async function answered(agent: Agent): Promise<number> {
  const { askId, result } = await agent.hold()
  const started = performance.now()
  const [took] = await Promise.all([result.then(() => since(started)), answer(askId)])
  return took
}

function timesOf(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99) }
}

answerCalls({
  async open(wanted: OpenAgents) {
    person = openPost(wanted.port, wanted.personToken)
    ours = await connectAll(wanted.ours, wanted.agents)
    peer = await connectAll(wanted.peer, wanted.agents)
  },
  /** Calls alternate. */
  async round(calls: number): Promise<Round> {
    const [mine, theirs] = [ours[0], peer[0]]
    if (!mine || !theirs) throw new Error('nobody is connected')
    const times = { ours: [] as number[], peer: [] as number[] }
    for (let call = 0; call < calls; call += 1) {
      times.peer.push(await echoed(theirs))
      times.ours.push(await answered(mine))
    }
    return { ours: timesOf(times.ours), peer: timesOf(times.peer) }
  },
  async echoes(): Promise<number> {
    const started = performance.now()
    await Promise.all(peer.map((agent) => agent.echo()))
    return since(started)
  },
  /** All ask at once; they stay held until `answerAll`. */
  async holdAll(): Promise<number> {
    const started = performance.now()
    held = await Promise.all(ours.map((agent) => agent.hold()))
    return since(started)
  },
  async answerAll(): Promise<number> {
    const started = performance.now()
    const all = Promise.all(held.map(({ result }) => result)).then(() => since(started))
    const [took] = await Promise.all([all, ...held.map(({ askId }) => answer(askId))])
    return took
  },
  async close() {
    await Promise.all([...ours, ...peer].map((agent) => agent[Symbol.asyncDispose]()))
    person?.[Symbol.dispose]()
  },
})
