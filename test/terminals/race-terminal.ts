import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { optionsOf, type Api } from '../support/api.ts'
import { until } from '../support/until.ts'
import type { Shape } from './race-shapes.ts'

export type Seen = { waiting: boolean; promptId: string | null; promptText: string; secret: boolean }
export type InputStatus = 'delivered' | 'refused_stale' | 'refused_unreadable' | 'unverified'

/** The program's own record of one of its prompts, with times of its own clock. */
export type Truth = {
  shownAt: number
  /** When it continues on its own; 0: never. */
  limitAt: number
  got: { hex: string; at: number }[]
  overAt: number | null
}

export type RaceTerminal = Disposable & {
  readonly id: string
  readonly shape: Shape
  /** By its number, as far as the program got. */
  truth(): ReadonlyMap<number, Truth>
  /** The prompt of this number as the server sees it; null if it comes too late. */
  seen(number: number, before: number): Promise<Seen | null>
  answer(promptId: string): Promise<InputStatus>
  /** The server's last report, and the result of a fresh look: for debugging. */
  look(): Promise<string>
}

export async function startRace(api: Api, folder: string, name: string, shape: Shape, limitMs: number) {
  const file = join(folder, `${name}.txt`)
  writeFileSync(file, '')
  const { sessionId: id } = await api.post<{ sessionId: string }>('/api/terminals', {
    sessionType: 'script',
    command: shape.command(file, limitMs),
    cwd: folder,
  })
  const states = followStates(api, id)
  let read = ''
  let truth = new Map<number, Truth>()
  /** A fresh look, long enough after it was shown, and before the next was. */
  async function namelessSeen(number: number): Promise<Seen | null> {
    await until(() => Date.now() > (terminal.truth().get(number)?.shownAt ?? Infinity) + 100)
    const now = await api.get<Seen>(`/api/terminals/${id}/detection`)
    return now.waiting && !terminal.truth().has(number + 1) ? now : null
  }

  const terminal: RaceTerminal = {
    id,
    shape,
    truth() {
      const text = readFileSync(file, 'utf8')
      if (text !== read) truth = truthOf((read = text))
      return truth
    },
    async seen(number, before) {
      const isMine = () => {
        const now = states.last()
        return now?.waiting && JSON.stringify(now).includes(shape.mark(number)) ? now : null
      }
      const seconds = Math.max(0, before - Date.now()) / 1000
      if (shape.nameless) return namelessSeen(number)
      return until(isMine, { seconds }).catch(() => null)
    },
    async answer(promptId) {
      const body = { ...shape.answer, expectPrompt: promptId, confirmed: true }
      return (await api.post<{ status: InputStatus }>(`/api/terminals/${id}/input`, body)).status
    },
    look: async () =>
      `program ${JSON.stringify([...terminal.truth()].slice(-3))}, told ${states.last()?.promptText}, sees ${JSON.stringify(await api.get(`/api/terminals/${id}/detection`))}`,
    [Symbol.dispose]: states.close,
  }
  return terminal
}

function truthOf(text: string): Map<number, Truth> {
  const truth = new Map<number, Truth>()
  const of = (number: number) => {
    const known = truth.get(number) ?? { shownAt: 0, limitAt: 0, got: [], overAt: null }
    truth.set(number, known)
    return known
  }
  for (const line of text.split('\n').slice(0, -1)) {
    const [what, id = '', ...rest] = line.split('\t')
    const at = Number(rest.at(-1))
    const one = of(Number(id))
    if (what === 'shown') Object.assign(one, { shownAt: at, limitAt: Number(rest[0]) })
    else if (what === 'over') one.overAt = at
    else one.got.push({ hex: rest[0] ?? '', at })
  }
  return truth
}

/** What the server sends followers of this terminal, live. */
function followStates(api: Api, id: string) {
  let last: Seen | null = null
  let rest = ''
  const path = `/api/events?session=${id}&type=terminal.state`
  const call = request({ ...optionsOf(api.place), path, headers: api.headers, agent: false })
  call.on('error', () => undefined)
  call.on('response', (response) => {
    response.setEncoding('utf8')
    response.on('error', () => undefined)
    response.on('data', (chunk: string) => {
      const frames = (rest + chunk).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        if (frame.startsWith('event: terminal.state') && data) last = JSON.parse(data) as Seen
      }
    })
  })
  call.end()
  return { last: () => last, close: () => void call.destroy() }
}
