import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { smallDisk } from '../support/broken-disk.ts'
import { differs, readTree } from '../support/loop-files.ts'
import { openLoopHarness } from '../support/loop-harness.ts'

const kilobyte = 1024

/** Takes all the space but about this much; the server may use some of it at the same moment. */
function leave(free: number, path: string): void {
  for (;;) {
    const { bavail, bsize } = statfsSync(join(path, '..'))
    try {
      return writeFileSync(path, Buffer.alloc(Math.max(0, bavail * bsize - free)))
    } catch {
      rmSync(path, { force: true })
    }
  }
}

const content = (version: number, size: number): string => `version ${version}\n`.padEnd(size - 1, 'x') + '\n'

it('a disk that is full during accept_diff: written whole or not at all, and applicable once there is room', async (context) => {
  using disk = smallDisk(48, context)
  await using harness = await openLoopHarness({ places: 1, home: disk.path })
  const { path: root } = harness.spot(0)
  const filler = join(disk.path, 'filler')
  const agent = await harness.connect(0)
  const heard: string[] = []
  let before = readTree(root)
  for (const [round, free] of [0, 20, 60, 120, 250, 400, 600, 800, 1000, 1300, 1600, 2000, 4000].entries()) {
    const title = `with ${free} KB free`
    const text = content(round, 300 * kilobyte)
    const asked = agent.call('ask_approval', { title, diff: text, file_path: 'big.txt' })
    const ask = await harness.openAsk(title)
    await harness.answer(ask, { outcome: 'approve' })
    expect(await asked).toMatchObject({ status: 'approved' })
    const after = { ...before, 'big.txt': text }

    leave(free * kilobyte, filler)
    const said = await agent.call('accept_diff', { request_id: ask.id })
    heard.push(`${free} KB: ${String(said['error_code'] ?? said['status'])}`)
    const wanted = said.isError ? [before, after] : [after]
    expect(
      wanted.map((tree) => differs(root, tree)),
      title,
    ).toContain(null)
    rmSync(filler)

    const again = await agent.call('accept_diff', { request_id: ask.id })
    const done = said.isError ? ['applied', 'already_consumed'] : ['already_consumed']
    expect(done, `${title}: ${JSON.stringify(again)}`).toContain(again['error_code'] ?? again['status'])
    expect(differs(root, after), title).toBeNull()
    const { status } = await harness.server.owner.get<{ status: string }>(`/api/asks/${ask.id}`)
    expect(status, title).toBe('consumed')
    expect(readdirSync(join(disk.path, 'journal')), title).toEqual([])
    before = after
  }
  console.log(heard.join(', '))
  expect(heard.filter((words) => !words.endsWith('applied')).length).toBeGreaterThan(2)
  await agent.kill()
})
