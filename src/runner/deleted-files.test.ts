import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deletedFiles, deviceInMaps } from './deleted-files.ts'

it('a file that was deleted while it is open counts with its size, on watched devices alone', async () => {
  const place = await mkdtemp(join(tmpdir(), 'sbw-'))
  const script = 'exec 5>hidden; dd if=/dev/zero of=hidden bs=1M count=24 2>/dev/null; rm hidden; echo ready; read x'
  const child = spawn('sh', ['-c', script], { cwd: place, stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    await once(child.stdout, 'data')
    const { dev } = await stat(place)
    const found = await deletedFiles(child.pid ?? 0, new Set([dev]))
    expect(found.bytes).toBeGreaterThanOrEqual(24 * 2 ** 20)
    expect(await deletedFiles(child.pid ?? 0, new Set())).toEqual({ bytes: 0, unknown: 0 })
  } finally {
    child.kill('SIGKILL')
    await rm(place, { recursive: true, force: true })
  }
})

it('a process that is gone holds nothing', async () => {
  expect(await deletedFiles(2 ** 22 + 1, new Set([1]))).toEqual({ bytes: 0, unknown: 0 })
})

it('devices are written as in the list of mappings', async () => {
  const { dev, ino } = await stat(process.execPath)
  const maps = await readFile('/proc/self/maps', 'latin1')
  const [, device] = new RegExp(`^\\S+ \\S+ \\S+ (\\S+) ${ino} `, 'm').exec(maps) ?? []
  expect(deviceInMaps(dev)).toBe(device)
  expect([deviceInMaps(0xfe00), deviceInMaps(0x811)]).toEqual(['fe:00', '08:11'])
})
