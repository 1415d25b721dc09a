import { createHash } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSession } from '../conformance/work.ts'
import { openTerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

const megabyte = 1024 * 1024
const sum = (text: string): string => createHash('sha256').update(text).digest('hex')

describe('a full disk under the recordings', () => {
  it('blocks the program, says so, does not affect others, and loses nothing when there is room again', async (context) => {
    await using harness = await openTerminalHarness()
    const place = join(harness.server.home, 'terminals')
    mkdirSync(place, { recursive: true, mode: 0o700 })
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=700', 'tmpfs', place], { stdio: 'pipe' })
    } catch {
      context.skip('a separate disk needs the right to mount (root on Linux)')
    }
    using _ = { [Symbol.dispose]: () => void execFileSync('umount', ['--lazy', place]) }
    const filler = join(place, 'filler')
    writeFileSync(filler, Buffer.alloc(4 * megabyte))
    const { sessionId: id } = await harness.run('seq 1 800000; echo "the end"')
    await until(() => statfsSync(place).bavail < 3, { what: 'a full disk' })
    await until(() => /ENOSPC|no room|full/i.test(harness.server.log()), { what: 'a word about it in the log' })
    expect(await harness.get(id)).toMatchObject({ state: 'active' })
    // Readers are served, and the database has its own disk.
    expect((await harness.updates(id)).text).toMatch(/^1\r?\n2\r?\n/)
    expect((await harness.owner.send('GET', '/api/terminals')).status).toBe(200)
    await startSession(harness.owner)
    rmSync(filler)
    execFileSync('mount', ['-o', 'remount,size=60m', place])
    await harness.ended(id, 40)
    const { text } = await harness.owner.send('GET', `/api/terminals/${id}/cast`)
    const events = text.split('\n').filter(Boolean).slice(1)
    const output = events
      .map((line): [number, string, string] => JSON.parse(line))
      .flatMap(([, kind, data]) => (kind === 'o' ? [data] : []))
      .join('')
    const seq = execFileSync('seq', ['1', '800000'], { maxBuffer: 50 * megabyte, encoding: 'utf8' })
    expect(sum(output)).toBe(sum(`${seq}the end\n`.replaceAll('\n', '\r\n')))
  })
})
