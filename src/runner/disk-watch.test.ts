import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { until } from '../../test/support/until.ts'
import { watchDisk } from './disk-watch.ts'

it('empty files count too: a disk can have only so many', async () => {
  const place = await mkdtemp(join(tmpdir(), 'sbd-'))
  const over = new AbortController()
  try {
    const full = Promise.withResolvers<string>()
    const limits = { memoryMb: 1, cpus: 1, pids: 1, diskMb: 1 }
    watchDisk({ watched: [place], limits, pid: () => Promise.resolve(null) }, over.signal, full.resolve)
    let why = ''
    void full.promise.then((said) => (why = said))
    let made = 0
    await until(
      async () => {
        if (made < 2000) await Promise.all(Array.from({ length: 100 }, () => writeFile(join(place, `${made++}`), '')))
        return why
      },
      { what: 'the end of the room' },
    )
    expect(why).toMatch(/grew by \d MiB, and disk_mb is 1\./)
  } finally {
    over.abort()
    await rm(place, { recursive: true, force: true })
  }
})
