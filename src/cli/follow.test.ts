import { describe, expect, it } from 'vitest'
import { exit, Failure } from './failure.ts'
import { follow } from './follow.ts'
import type { ByteStream } from './transport.ts'

const frame = (cursor: string): string => `id: ${cursor}\ndata: {"cursor":"${cursor}"}\n\n`

function stream(...chunks: string[]): ByteStream {
  const chunksOf = async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  return { status: 200, headers: {}, chunks: chunksOf() }
}

const lost = new Failure({ exit: exit.noServer, code: 'no_server', message: 'gone' })
const refused = Object.assign(new Error('no'), { status: 403 })

/** Plays the attempts in order; the last requested event ends it. */
async function play(attempts: (ByteStream | Error)[], until: string) {
  const stop = new AbortController()
  const asked: (string | null)[] = []
  const heard: string[] = []
  const told: number[] = []
  const done = follow({
    after: null,
    signal: stop.signal,
    async open(after) {
      asked.push(after)
      const next = attempts.shift()
      if (next instanceof Error || next === undefined) throw next ?? new Error('asked too often')
      return next
    },
    async onEvent({ cursor }) {
      heard.push(cursor)
      if (cursor === until) stop.abort()
    },
    onGap: (_why, ms) => void told.push(ms),
    wait: async () => {},
  })
  await done
  return { asked, heard, told }
}

describe('following events', () => {
  it('resumes after the last event following a gap, waiting longer each time nothing comes', async () => {
    const attempts = [
      stream(frame('a'), frame('b')),
      lost,
      lost,
      stream(),
      stream(frame('c').slice(0, 9), frame('c').slice(9)),
    ]
    expect(await play(attempts, 'c')).toEqual({
      asked: [null, 'b', 'b', 'b', 'b'],
      heard: ['a', 'b', 'c'],
      // The first end was normal and is not reported.
      told: [2000, 4000, 8000],
    })
  })

  it('fails at once if there is no server, or if it refuses', async () => {
    await expect(play([lost], 'x')).rejects.toBe(lost)
    await expect(play([stream(frame('a')), refused], 'x')).rejects.toBe(refused)
  })

  it('separates events from live messages, and resumes after the last event', async () => {
    const stop = new AbortController()
    const live = 'event: message.chunk\ndata: {"at":0,"text":"hi"}\n\n'
    const attempts = [stream(frame('a'), live), stream(frame('b'))]
    const heard: unknown[] = []
    const asked: (string | null)[] = []
    await follow({
      after: null,
      signal: stop.signal,
      async open(after) {
        asked.push(after)
        return attempts.shift() ?? stream()
      },
      onOpen: async () => void heard.push('open'),
      async onEvent({ cursor }) {
        heard.push(cursor)
        if (cursor === 'b') stop.abort()
      },
      onLive: async (type, data) => void heard.push([type, data]),
      onGap() {},
      wait: async () => {},
    })
    expect(heard).toEqual(['open', 'a', ['message.chunk', { at: 0, text: 'hi' }], 'open', 'b'])
    expect(asked).toEqual([null, 'a'])
  })
})
