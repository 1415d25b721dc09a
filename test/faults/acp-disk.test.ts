import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fault, floodWords, openAcpHarness, slowWords, textOf, type AcpHarness } from '../support/acp-harness.ts'
import { smallDisk } from '../support/broken-disk.ts'
import { scale } from '../support/scale.ts'
import { until } from '../support/until.ts'

const words = 150
const megabyte = 1024 * 1024
/** In long runs, longer than any timeout in the server. */
const longMs = scale({ test: 1_000, long: 11_000 })

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Takes all the space, to the last block. */
function fillUp(file: string): void {
  for (const size of [megabyte, 4096]) {
    for (let isFull = false; !isFull;) {
      try {
        writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
      } catch {
        isFull = true
      }
    }
  }
}

const failedToStore = (harness: AcpHarness) => harness.server.log().includes("failed to store the agent's output")

describe('a full disk while an agent writes', () => {
  it('loses no text and no prompt once there is room again', async (context) => {
    using disk = smallDisk(32, context)
    vi.stubEnv('TMPDIR', disk.path)
    await using harness = await openAcpHarness({ faults: [fault('flood', '30000')] })
    const [slow, fast] = [await harness.start('practice'), await harness.start('flood')]
    const prompt = await harness.prompt(slow, `/slow ${words} 20`)
    await until(async () => textOf((await harness.detail(slow)).messages).includes('word-5'))
    const flood = await harness.prompt(fast, 'go')
    const filler = join(disk.path, 'filler')
    fillUp(filler)
    await until(() => failedToStore(harness), { what: 'that the disk is full' })
    // People can still read, even what is not stored yet.
    await until(async () => textOf((await harness.detail(slow)).messages).includes('word-60'))
    rmSync(filler)
    await harness.settled(prompt, 30)
    await harness.settled(flood, 30)
    expect(textOf((await harness.detail(slow)).messages)).toBe(slowWords(words))
    expect(textOf((await harness.detail(fast)).messages)).toBe(floodWords(30_000))
    await harness.settled(await harness.prompt(slow, '/say room again'))
  })

  it('during which the server is killed and restarted loses no text either', async (context) => {
    using disk = smallDisk(32, context)
    vi.stubEnv('TMPDIR', disk.path)
    await using harness = await openAcpHarness()
    const session = await harness.start('practice')
    const prompt = await harness.prompt(session, `/slow ${words} 20`)
    await until(async () => textOf((await harness.detail(session)).messages).includes('word-5'))
    const filler = join(disk.path, 'filler')
    fillUp(filler)
    await until(() => failedToStore(harness), { what: 'that the disk is full' })
    await harness.crash()
    rmSync(filler)
    await harness.server.restart()
    await harness.settled(prompt, 30)
    expect(textOf((await harness.detail(session)).messages)).toBe(slowWords(words))
  })

  it('during which the server is stopped lets it stop, and the next one continues reading', async (context) => {
    using disk = smallDisk(32, context)
    vi.stubEnv('TMPDIR', disk.path)
    await using harness = await openAcpHarness()
    const session = await harness.start('practice')
    const prompt = await harness.prompt(session, `/slow ${words} 20`)
    await until(async () => textOf((await harness.detail(session)).messages).includes('word-5'))
    const filler = join(disk.path, 'filler')
    fillUp(filler)
    await until(() => failedToStore(harness), { what: 'that the disk is full' })
    await harness.server.kill('SIGTERM')
    rmSync(filler)
    await harness.server.restart()
    await harness.settled(prompt, 30)
    expect(textOf((await harness.detail(session)).messages)).toBe(slowWords(words))
  })

  it('for a long time loses nothing of an agent that ends meanwhile', async (context) => {
    using disk = smallDisk(32, context)
    vi.stubEnv('TMPDIR', disk.path)
    await using harness = await openAcpHarness()
    const session = await harness.start('practice')
    await harness.prompt(session, '/slow 100 20\n/crash 7')
    await until(async () => textOf((await harness.detail(session)).messages).includes('word-5'))
    const filler = join(disk.path, 'filler')
    fillUp(filler)
    await until(() => failedToStore(harness), { what: 'that the disk is full' })
    await until(async () => (await harness.running()).length === 0, { what: 'its end' })
    await pause(longMs)
    rmSync(filler)
    const { messages } = await harness.becomes(session, 'error', 30)
    expect(textOf(messages)).toBe(slowWords(100))
    expect(String(messages.at(-1)?.content['text'])).toMatch(/code 7/)
  })
})
