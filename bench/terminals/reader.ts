import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerHarness } from '../acp/harness.ts'

/** Everything one reader of a terminal got. */
export type Read = {
  readonly bytes: number
  readonly sha256: string
  readonly firstAt: number
  readonly lastAt: number
}

/** Reads a terminal's output until its program ends; `bytesPerSecond` is the reader's current speed. */
export async function readLive(harness: ServerHarness, id: string, bytesPerSecond = () => Infinity): Promise<Read> {
  const response = await harness.open(`/api/terminals/${id}/live`)
  const hash = createHash('sha256')
  let bytes = 0
  let firstAt = 0
  let lastAt = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    lastAt = performance.now()
    if (bytes === 0) firstAt = lastAt
    bytes += chunk.length
    hash.update(chunk)
    const pauseMs = (chunk.length / bytesPerSecond()) * 1000
    if (pauseMs >= 1) await sleep(pauseMs)
  }
  return { bytes, sha256: hash.digest('hex'), firstAt, lastAt }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
