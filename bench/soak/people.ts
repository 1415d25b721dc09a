import { appendFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerHarness } from '../acp/harness.ts'

/** Counts so far. */
export type Deeds = { answers: number; reconnects: number; searches: number; rotations: number; bytesRead: number }

type State = { state: string; promptId: string | null }

/** Answers every terminal prompt as soon as it is reported. */
export async function answering(harness: ServerHarness, id: string, deeds: Deeds): Promise<Disposable> {
  let last: string | null = null
  return harness.listen(`?session=${id}&type=terminal.state`, ({ data }) => {
    const { state, promptId } = JSON.parse(data) as State
    if (state !== 'waiting' || promptId === null || promptId === last) return
    last = promptId
    // If it was detected again meanwhile, the answer is refused, and the next report is answered.
    const body = { text: 'y', expectPrompt: promptId, confirmed: true }
    void harness
      .call<{ status: string }>('POST', `/api/terminals/${id}/input`, body)
      .then(({ status }) => (deeds.answers += status === 'delivered' ? 1 : 0))
      .catch(() => {})
  })
}

/** Reads along, disconnects after a while and resumes where it was. */
export async function reading(harness: ServerHarness, id: string, everyMs: number, deeds: Deeds, signal: AbortSignal) {
  for (let offset = 0; !signal.aborted;) {
    const response = await harness.open(`/api/terminals/${id}/live?from=${offset}`)
    const leave = setTimeout(() => response.destroy(), everyMs)
    try {
      for await (const chunk of response as AsyncIterable<Buffer>) {
        offset += chunk.length
        deeds.bytesRead += chunk.length
        if (signal.aborted) break
      }
    } catch {
      // It disconnected midway.
    }
    clearTimeout(leave)
    deeds.reconnects += 1
  }
}

export async function searching(harness: ServerHarness, everyMs: number, deeds: Deeds, signal: AbortSignal) {
  const wanted = ['q=warnings&maxResults=20', 'q=file-1%5B0-9%5D%2B%5C.ts&regex=true', 'q=nothing-of-the-kind']
  for (let round = 0; !signal.aborted; round += 1) {
    await sleep(everyMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    await harness.call('GET', `/api/terminals/search?${wanted[round % wanted.length]}`)
    deeds.searches += 1
  }
}

/** A log that is written all the time and rotated now and then, as logrotate does. */
export async function logging(path: string, rotateEveryMs: number, deeds: Deeds, signal: AbortSignal) {
  let rotateAt = Date.now() + rotateEveryMs
  for (let line = 0; !signal.aborted; line += 1) {
    appendFileSync(path, `${new Date().toISOString()} request ${line} answered with 200 in ${line % 70} ms\n`)
    if (Date.now() > rotateAt) {
      rmSync(`${path}.1`, { force: true })
      renameSync(path, `${path}.1`)
      writeFileSync(path, '')
      rotateAt += rotateEveryMs
      deeds.rotations += 1
    }
    await sleep(50, undefined, { signal }).catch(() => {})
  }
}
