import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { recordingOf, recordings, type Frame, type Recording, type RpcMessage } from '../acp-recordings.ts'

const program = fileURLToPath(new URL('replay-agent.mjs', import.meta.url))
const scenarios = [
  'write-allow',
  'permission-cancel',
  'parallel-tools',
  'load-session.2',
  'edit-fs-caps',
  'bad-session',
]
const chosen = recordings.filter(({ scenario }) => scenarios.includes(scenario))

describe('the agent that plays a recording', () => {
  it.each(chosen.map((one) => [one.name, one] as const))(
    'says in %s what was recorded, to a client with other ids and another folder',
    async (_name, recording) => {
      const { agent, code } = await played([recording], recording.frames)
      expect(code).toBe(0)
      expect(agent).toEqual(expectedOf(recording.frames))
    },
  )

  it('continues if a client leaves out what not every client sends', async () => {
    const recording = recordingOf('claude', 'load-session.2')
    const brief = recording.frames.filter(({ msg }) => msg.method !== 'session/list' && msg.id !== 1)
    const { agent } = await played([recording], brief)
    expect(agent).toEqual(expectedOf(brief))
  })

  it('picks the recording that opens its session as the client does', async () => {
    const first = recordingOf('opencode', 'load-session')
    const later = recordingOf('opencode', 'load-session.3')
    const { agent } = await played([first, later], later.frames)
    expect(agent).toEqual(expectedOf(later.frames))
  })

  it('delays the second turn for a client that never prompts during a turn', async () => {
    const recording = recordingOf('gemini', 'prompt-while-busy')
    const second = recording.frames.findIndex(({ msg }) => msg.id === 3)
    const end = recording.frames.findIndex(({ dir, msg }) => dir === 'a>c' && msg.id === 2)
    const patient = recording.frames
      .toSpliced(second, 1)
      .toSpliced(end, 0, ...recording.frames.slice(second, second + 1))
    const { agent } = await played([recording], patient)
    expect(agent).toEqual(expectedOf(patient))
  })
})

/** The recorded client with other ids and another folder; returns what the agent sent, in order. */
async function played(of: Recording[], frames: Frame[]): Promise<{ agent: RpcMessage[]; code: number | null }> {
  const child = spawn(process.execPath, [program, ...of.map(({ file }) => file)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const agent: RpcMessage[] = []
  for (const { dir, msg } of frames) {
    if (dir === 'c>a') child.stdin.write(`${JSON.stringify(inOtherWords(msg))}\n`)
    else agent.push(JSON.parse((await lines.next()).value as string) as RpcMessage)
  }
  child.stdin.end()
  const [code] = (await once(child, 'close')) as [number | null]
  return { agent, code }
}

const expectedOf = (frames: Frame[]): RpcMessage[] =>
  frames.filter(({ dir }) => dir === 'a>c').map(({ msg }) => inOtherWords(msg, 'agent'))

/** The client's own requests, and the answers to them, under other ids. */
function inOtherWords(msg: RpcMessage, by: 'client' | 'agent' = 'client'): RpcMessage {
  const moved = JSON.parse(JSON.stringify(msg).replaceAll('/recorded/workspace', '/elsewhere')) as RpcMessage
  const ofClient = by === 'client' ? msg.method !== undefined : msg.method === undefined
  return ofClient && msg.id !== undefined ? { ...moved, id: `ours-${msg.id}` } : moved
}
