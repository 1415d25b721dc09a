import { execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdir, rename, rm, rmdir, symlink, truncate, unlink, writeFile } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTerminalHarness, residentMegabytes, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'

const megabyte = 1024 * 1024

describe('a followed log', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Follows a log with one line, and has read it. */
  async function followed(name: string): Promise<{ id: string; path: string; cursor: string }> {
    const path = harness.at(name)
    await writeFile(path, 'first\n')
    const { sessionId: id } = await harness.follow(path, { filePosition: 0 })
    return { id, path, cursor: (await harness.prints(id, /first/)).cursor }
  }

  it('is followed further when it is deleted and created again', async () => {
    const { id, path, cursor } = await followed('deleted.log')
    await unlink(path)
    await until(() => harness.server.log().includes(path) || null, { what: 'a word about it in the log' })
    expect(await harness.get(id)).toMatchObject({ state: 'active' })
    await writeFile(path, 'second\n')
    const after = await harness.prints(id, /second/, cursor)
    expect(after.text).toBe('second\n')
    expect(after.epoch).toBeGreaterThan(0)
  })

  it('is followed further when it is truncated, even if it is longer at once', async () => {
    const { id, path, cursor } = await followed('cut.log')
    await truncate(path, 0)
    await appendFile(path, 'new\n')
    const after = await harness.prints(id, /new/, cursor)
    expect([after.text, after.epoch]).toEqual(['new\n', 1])
    await writeFile(path, `${'longer than it was before\n'.repeat(100)}the end\n`)
    const longer = await harness.prints(id, /the end/, after.cursor)
    expect(longer.text).toContain('longer')
  })

  it('is followed further when another file replaces it, and nothing of the old one is lost', async () => {
    const { id, path, cursor } = await followed('replaced.log')
    await appendFile(path, 'last words\n')
    await writeFile(`${path}.new`, 'another file\n')
    await rename(`${path}.new`, path)
    expect((await harness.prints(id, /another file/, cursor)).text).toBe('last words\nanother file\n')
  })

  it('rotated while no server was running is read from its start, even if longer; one that only grew continues', async () => {
    const rotated = await followed('rotated.log')
    const grown = await followed('grown.log')
    await harness.crash()
    await rename(rotated.path, `${rotated.path}.1`)
    await writeFile(rotated.path, `${'of the new log\n'.repeat(50)}its end\n`)
    await appendFile(grown.path, 'and more\n')
    await harness.restart()
    const after = await harness.prints(rotated.id, /its end/, rotated.cursor)
    expect(after.text).toBe(`${'of the new log\n'.repeat(50)}its end\n`)
    expect(after.epoch).toBe(1)
    const more = await harness.prints(grown.id, /and more/, grown.cursor)
    expect([more.text, more.epoch]).toEqual(['and more\n', 0])
  })

  it.each([
    ['a directory', (path: string) => mkdir(path), (path: string) => rmdir(path)],
    ['a fifo', async (path: string) => void execFileSync('mkfifo', [path]), (path: string) => unlink(path)],
    ['a device', (path: string) => symlink('/dev/zero', path), (path: string) => unlink(path)],
    ['a link that leads nowhere', (path: string) => symlink('/nowhere/at/all', path), (path: string) => unlink(path)],
    ['a link to itself', (path: string) => symlink(path, path), (path: string) => unlink(path)],
  ])('waits while %s is in its place', async (what, put, take) => {
    const { id, path, cursor } = await followed(`${what.replaceAll(' ', '-')}.log`)
    await rm(path)
    await put(path)
    const other = await followed(`beside-${what.replaceAll(' ', '-')}.log`)
    await appendFile(other.path, 'goes on\n')
    await harness.prints(other.id, /goes on/, other.cursor)
    await until(() => harness.server.log().includes(path), { what: 'a word about it in the log' })
    expect(await harness.get(id)).toMatchObject({ state: 'active' })
    expect((await harness.updates(id, { cursor })).text).toBe('')
    await take(path)
    await writeFile(path, 'here again\n')
    expect((await harness.prints(id, /here again/, cursor)).text).toBe('here again\n')
  })

  it('reached by a link is followed where the link leads', async () => {
    const { id, path, cursor } = await followed('plain.log')
    await writeFile(harness.at('aim.log'), 'behind the link\n')
    await rm(path)
    await symlink(harness.at('aim.log'), path)
    expect((await harness.prints(id, /behind the link/, cursor)).text).toBe('behind the link\n')
  })

  it('waits while it is not readable; root can always read it', async () => {
    const { id, path, cursor } = await followed('unreadable.log')
    await rm(path)
    await writeFile(path, 'secret\n', { mode: 0 })
    if (process.getuid?.() !== 0) {
      await until(() => harness.server.log().includes(path))
      await chmod(path, 0o600)
    }
    expect((await harness.prints(id, /secret/, cursor)).text).toBe('secret\n')
  })

  it('with bytes that are not text is shown as well as possible, and the rest is complete', async () => {
    const { id, path, cursor } = await followed('binary.log')
    const wrong = Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0xe2, 0x82, 0xf0, 0x9f, 0x98, 0xed, 0xa0, 0x80, 0xc0, 0x80])
    await appendFile(path, Buffer.concat([wrong, Buffer.from('after € it\n')]))
    await appendFile(path, Buffer.from(Array.from({ length: 4096 }, (_, n) => n % 256)))
    await appendFile(path, '\nthe end\n')
    const { text } = await harness.prints(id, /the end/, cursor)
    expect(text).toContain('after € it')
    expect(text).toMatch(/\?|\uFFFD/)
    const { text: cast } = await harness.owner.send('GET', `/api/terminals/${id}/cast`)
    for (const line of cast.split('\n').filter(Boolean)) JSON.parse(line)
  })

  it('that grows by a lot at once uses no memory, and others continue', async () => {
    const { id, path } = await followed('large.log')
    const other = await followed('small.log')
    const block = Buffer.from(`${'0123456789'.repeat(10).slice(0, 99)}\n`.repeat(10_486))
    const before = residentMegabytes(harness.server.pid)
    const size = 48
    const file = createWriteStream(path, { flags: 'a' })
    for (let n = 0; n < size; n += 1) if (!file.write(block)) await once(file, 'drain')
    file.end('the end of it\n')
    const end = 'first\n'.length + size * block.length + 'the end of it\n'.length
    let most = before
    let cursor = other.cursor
    let told = 0
    await until(
      async () => {
        most = Math.max(most, residentMegabytes(harness.server.pid))
        await appendFile(other.path, `beside ${(told += 1)}\n`)
        cursor = (await harness.prints(other.id, new RegExp(`beside ${told}\n`), cursor)).cursor
        return (await harness.get(id)).filePosition === end
      },
      { seconds: 60, what: 'the end of the log' },
    )
    // It does not grow with what is read.
    expect(most - before).toBeLessThan(250)
    expect(told).toBeGreaterThan(2)
    expect((await harness.search({ q: 'the end of it', sessionId: id })).matches).toHaveLength(1)
  })

  it('with a hole of a gigabyte is not read forever', async () => {
    const { id, path } = await followed('sparse.log')
    await truncate(path, 1024 * megabyte)
    await appendFile(path, 'behind the hole\n')
    const before = residentMegabytes(harness.server.pid)
    const { sessionId: other } = await harness.run('printf "Here? "; read a; sleep 600')
    await harness.waits(other, /Here/)
    expect(residentMegabytes(harness.server.pid) - before).toBeLessThan(300)
    await harness.owner.post(`/api/terminals/${id}/stop`)
  })
})
