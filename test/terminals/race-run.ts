import { until } from '../support/until.ts'
import type { InputStatus, RaceTerminal, Truth } from './race-terminal.ts'

/** One answer: when it was sent, what it returned, and which prompt it was for. */
export type Sent = { number: number; at: number; wantedOffset: number | null; status: InputStatus }

const usualDelayMs = 22

/** Answers one prompt after another while nothing changes. */
export async function answerAll(terminal: RaceTerminal, count: number): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let number = 1; sent.length < count; number += 1) {
    await until(() => terminal.truth().has(number), { what: `prompt ${number} of ${terminal.shape.name}` })
    const seen = await terminal.seen(number, Date.now() + 30_000)
    if (!seen?.promptId)
      throw new Error(`prompt ${number} of ${terminal.shape.name} was not seen: ${await terminal.look()}`)
    const at = Date.now()
    const status = await terminal.answer(seen.promptId)
    sent.push({ number, at, wantedOffset: null, status })
    if (status !== 'delivered' && !(await took(terminal, number))) number -= 1
  }
  return sent
}

const took = (terminal: RaceTerminal, number: number): Promise<boolean> =>
  until(() => (terminal.truth().get(number)?.got.length ?? 0) > 0, { seconds: 1 }).then(
    () => true,
    () => false,
  )

/**
 * Answers one prompt after another, with each program continuing at a set time after its answer is written: `offsets` in
 * milliseconds, negative if it continues before.
 */
export async function race(terminal: RaceTerminal, next: () => number | null): Promise<Sent[]> {
  const sent: Sent[] = []
  const delays: number[] = []
  let offset = next()
  for (let number = 1; offset !== null;) {
    const { limitAt } = await until(() => terminal.truth().get(number), { what: `prompt ${number}` })
    const delay = median(delays) ?? usualDelayMs
    const sendAt = limitAt - offset - delay
    const seen = await terminal.seen(number, sendAt)
    if (seen?.promptId) {
      await until(() => Date.now() >= sendAt - 9)
      await exactly(sendAt)
      const at = Date.now()
      const status = await terminal.answer(seen.promptId)
      sent.push({ number, at, wantedOffset: offset, status })
      const got = terminal.truth().get(number)?.got[0]
      if (got && delays.push(got.at - at) > 15) delays.shift()
      offset = next()
    }
    const { truth } = terminal
    await until(() => isOver(truth().get(number)), { what: `the end of prompt ${number}` })
    number = Math.max(...truth().keys())
  }
  return sent
}

const isOver = (one: Truth | undefined): boolean => one !== undefined && (one.overAt !== null || one.got.length > 0)

/** A timer is late by a millisecond or more, so the last part is not slept. */
async function exactly(at: number): Promise<void> {
  while (Date.now() < at) await new Promise((resolve) => setImmediate(resolve))
}

const median = (numbers: readonly number[]): number | null =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? null

/** About the misdirected answer, as far as it is known. */
function sendBefore(sent: readonly Sent[], number: number): string {
  const last = sent.findLast((one) => one.number <= number)
  return last ? `; the last answer, to prompt ${last.number}, was sent at ${last.at} and ${last.status}` : ''
}

/** The program's record of the answers, compared with their intention. Bytes not meant for a prompt are wrong. */
export function judge(terminal: RaceTerminal, sent: readonly Sent[], delay = usualDelayMs) {
  const truth = terminal.truth()
  const meant = new Map(sent.map((one) => [one.number, one]))
  const wrong: string[] = []
  for (const [number, { got }] of truth)
    for (const { hex, at } of got)
      if (!meant.has(number) || !terminal.shape.bytes.includes(hex))
        wrong.push(`${terminal.shape.name}: prompt ${number} got ${hex} at ${at}${sendBefore(sent, number)}`)
  const untrue: string[] = []
  // A refused answer may have been sent again.
  for (const { number, status } of meant.values()) {
    const count = truth.get(number)?.got.length ?? 0
    if (status === 'delivered' && count === 0) untrue.push(`${terminal.shape.name}: prompt ${number} got nothing`)
    if (status === 'refused_stale' && count > 0)
      untrue.push(`${terminal.shape.name}: prompt ${number} got it after all`)
  }
  const offsets = sent.map(({ number, at, status }) => {
    const one = truth.get(number)
    const writtenAt = one?.got[0]?.at ?? at + delay
    return { status, offset: (one?.overAt ?? one?.limitAt ?? 0) - writtenAt }
  })
  return { wrong, untrue, offsets }
}
