import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChild } from '../lib/child.ts'
import { atLeast, type Line } from '../lib/line.ts'
import { interleaved, ratioOf, sampleOf } from '../lib/sample.ts'
import type { BareFlood } from './bare.ts'
import { openServerHarness, type ServerHarness } from './harness.ts'

const updates = 100_000
const program = fileURLToPath(import.meta.resolve('./flood-agent.ts'))

export const agentUpdates: Line = {
  name: 'updates',
  measured: `${updates.toLocaleString('en')} chunks of text that an agent prints in one turn, as fast as its pipe
accepts them; updates per second from the agent's first byte on. Ours is the built server with its keeper, until the
resulting message is stored and complete and its turn settled; each round then compares the stored text with what was
printed, exactly. "Watched" has a reader of \`GET /api/events?session=…\`, which must get every chunk in order before
the round ends. The peer is the SDK alone on the same agent and the same bytes, until its handler was called for the
last one: it stores nothing.`,
  async run({ folder, quick }) {
    const [transcript, stamp] = [join(folder, 'transcript.jsonl'), join(folder, 'began')]
    const texts = Array.from({ length: updates }, (_, index) => `${index + 1} `)
    writeFileSync(transcript, texts.map(lineOf).join(''))
    const [command, ...args] = [process.execPath, program, transcript, stamp] as const
    await using harness = await openServerHarness(folder, `[agents.flood]\n${toml({ command, args })}`)
    await using bare = await startChild(import.meta.resolve('./bare.ts'), null)
    const env = { PATH: process.env['PATH'] ?? '' }
    const given: BareFlood = { command: { argv: [command, ...args], env, cwd: harness.workspace }, updates, stamp }
    const round = (watched: boolean) => async () =>
      updates / (await flood(harness, { stamp, whole: texts.join(''), watched }))
    const figures = await interleaved(quick ? 3 : 7, {
      peer: async () => updates / (await bare.call<number>('flood', given)),
      unseen: round(false),
      watched: round(true),
    })
    const figure = (name: 'unseen' | 'watched', more: string) =>
      atLeast(0.5, {
        name: `updates/${name}`,
        title: `${updates.toLocaleString('en')} update chunks through one session${more}`,
        unit: 'updates/s',
        ours: sampleOf(figures[name]),
        peer: sampleOf(figures.peer),
        ratio: ratioOf(figures[name], figures.peer),
      })
    return [figure('unseen', ''), figure('watched', ', watched')]
  },
}

const lineOf = (text: string): string => {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
  return `${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 'flood', update } })}\n`
}

const toml = ({ command, args }: { command: string; args: readonly string[] }) =>
  `command = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\nisolation = "none"\n`

type Message = { role: string; content: { text?: string } }

/** Seconds from the agent's first byte until all output is stored and delivered to the reader. */
async function flood(
  harness: ServerHarness,
  round: { stamp: string; whole: string; watched: boolean },
): Promise<number> {
  const wanted = { workspaceRoot: harness.workspace, agent: 'flood' }
  const { id } = await harness.call<{ id: string }>('POST', '/api/sessions', wanted)
  const stored = Promise.withResolvers<bigint>()
  using _log = await harness.listen('?type=queue.delivered', ({ sessionId }) => {
    if (sessionId === id) stored.resolve(process.hrtime.bigint())
  })
  using watcher = round.watched ? await watch(harness, id, round.whole) : null
  await harness.call('POST', `/api/sessions/${id}/prompt`, { text: 'go' })
  const ends = await Promise.all([stored.promise, watcher?.heard ?? 0n])
  const messages = await harness.call<Message[]>('GET', `/api/sessions/${id}/messages`)
  const said = messages.map(({ role, content }) => (role === 'agent' ? content.text : '')).join('')
  if (said !== round.whole) throw new Error(`not what was said: ${said.length} letters, ${round.whole.length} expected`)
  await harness.call('POST', `/api/sessions/${id}/complete`)
  const began = BigInt(readFileSync(round.stamp, 'utf8'))
  return Math.max(...ends.map((end) => Number(end - began))) / 1e9
}

/** A reader that checks every chunk: each must start where the previous one ended. */
async function watch(
  harness: ServerHarness,
  id: string,
  whole: string,
): Promise<Disposable & { heard: Promise<bigint> }> {
  const heard = Promise.withResolvers<bigint>()
  let text = ''
  const listening = await harness.listen(`?session=${id}&type=message.chunk`, ({ data }) => {
    const chunk = JSON.parse(data) as { at: number; text: string }
    if (chunk.at !== text.length) heard.reject(new Error(`a chunk at ${chunk.at} came after ${text.length} letters`))
    text += chunk.text
    if (text.length >= whole.length) heard.resolve(process.hrtime.bigint())
  })
  void listening.closed.then(() => heard.reject(new Error(`the reader was cut off after ${text.length} letters`)))
  heard.promise.catch(() => {})
  return { heard: heard.promise, [Symbol.dispose]: () => listening[Symbol.dispose]() }
}
