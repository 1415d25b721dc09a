import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { optionsOf, type Api } from '../support/api.ts'
import { until } from '../support/until.ts'
import type { PromptType } from './case.ts'

export type Detection = {
  waiting: boolean
  state: 'working' | 'waiting' | 'exited'
  promptId: string | null
  promptText: string
  promptType: PromptType
  confidence: number
  timestamp: string
  decidedBy: string
  secret: boolean
  evidence: { signal: string; says: string; detail: string }[]
}

/** What the server reported on its own, and when we received it. */
export type Heard = { at: number; detection: Detection }

/** A terminal as an outside program sees it. */
export type Terminal = AsyncDisposable & {
  readonly id: string
  readonly heard: readonly Heard[]
  /** What the server knows without a fresh look. */
  reported(): Promise<Detection | null>
  /** A fresh look. */
  detection(): Promise<Detection>
  screen(): Promise<string>
  keys(keys: readonly string[]): Promise<void>
}

export async function startTerminal(api: Api, start: Record<string, unknown>): Promise<Terminal> {
  const id = randomUUID()
  await api.post('/api/terminals', { sessionId: id, ...start })
  const heard: Heard[] = []
  const path = `/api/terminals/${id}`
  const stop = listen(api, id, (detection) => heard.push({ at: Date.now(), detection }))
  return {
    id,
    heard,
    reported: async () => (await api.get<{ detection: Detection | null }>(path)).detection,
    detection: () => api.get<Detection>(`${path}/detection`),
    screen: async () => (await api.get<{ screen: string }>(`${path}/screen`)).screen,
    async keys(keys) {
      // A program that prints meanwhile is checked again before anything is typed.
      await until(
        async () => {
          // As at a keyboard: of somebody who sees what each key does, nothing is asked again.
          const { status } = await api.post<{ status: string }>(`${path}/input`, { keys, pressEnter: false })
          return status === 'delivered' || status === 'unverified'
        },
        { what: `the delivery of ${keys.join(' ')}`, seconds: 8 },
      )
    },
    async [Symbol.asyncDispose]() {
      stop()
      await api.send('POST', `${path}/end`, { body: {} })
    },
  }
}

function listen(api: Api, id: string, hear: (detection: Detection) => void): () => void {
  const path = `/api/events?session=${id}&type=terminal.state`
  const call = request({ ...optionsOf(api.place), path, headers: api.headers, agent: false })
  call.on('response', (response) => {
    let rest = ''
    response.setEncoding('utf8')
    response.on('error', () => undefined)
    response.on('data', (chunk: string) => {
      const frames = (rest + chunk).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const data = /^event: terminal\.state\ndata: (.*)$/s.exec(frame)?.[1]
        if (data !== undefined) hear(JSON.parse(data) as Detection)
      }
    })
  })
  call.on('error', () => undefined)
  call.end()
  return () => void call.destroy()
}
