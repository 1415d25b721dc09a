import { chmod, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git } from './agents-harness.ts'
import type { Agent, McpHarness } from './mcp-harness.ts'
import { makeMess, picture } from './mess.ts'
import { openOperationsHarness } from './operations-harness.ts'

type Paths = { count: number; paths: string[] }
type Done = { before: { id: string }; removed: Paths; kept: Paths; failed: unknown[] }

const only = (...paths: string[]) => ({ count: paths.length, paths })

describe.each(['a Git repository', 'a plain directory'])('undoing a restore of %s', (kind) => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  async function connect(): Promise<Agent> {
    const place = await harness.place()
    await place.write('a.txt', 'one\n')
    await place.write('sub/b.bin', Buffer.from([0, 255, 13, 10, 0]))
    await place.write('run.sh', '#!/bin/sh\n')
    await chmod(join(place.path, 'run.sh'), 0o755)
    await symlink('a.txt', join(place.path, 'link'))
    await place.write('.gitignore', 'ignored/\n*.log\n')
    if (kind === 'a Git repository') git(place.path, 'init', '--quiet', '--initial-branch=main')
    return harness.connect({ place })
  }
  const create = (id: string) => harness.owner.post<{ id: string }>(`/api/sessions/${id}/checkpoints`, {})
  const restore = (id: string) => harness.owner.post<Done>(`/api/checkpoints/${id}/restore`, { confirm: true })

  it.each([1, 2, 3, 4, 5, 6])('R18 B8 an undo of a restore is exact, and so is its undo (mess %i)', async (seed) => {
    await using agent = await connect()
    const { place } = agent
    await place.write('deep/er/file.txt', 'deep\n')
    await place.write('swapped', 'a file\n')
    await place.write('folder/inside.txt', 'inside\n')
    await place.write('folder/x.log', 'ignored\n')
    const { id } = await create(agent.sessionId)
    await makeMess(place.path, seed)
    const messy = await picture(place.path)
    const first = await restore(id)
    const restored = await picture(place.path)
    expect(first.failed).toEqual([])
    const second = await restore(first.before.id)
    expect(second.failed).toEqual([])
    expect(await picture(place.path)).toEqual(messy)
    expect((await restore(second.before.id)).failed).toEqual([])
    expect(await picture(place.path)).toEqual(restored)
  })

  it('R18 B8 what somebody changed since the restore is not removed by its undo', async () => {
    await using agent = await connect()
    const { place } = agent
    await place.write('kept.txt', 'old\n')
    const { id } = await create(agent.sessionId)
    for (const path of ['kept.txt', 'a.txt']) await unlink(join(place.path, path))
    const { before } = await restore(id)
    await place.write('kept.txt', 'worked on since\n')
    expect(await restore(before.id)).toMatchObject({ removed: only('a.txt'), kept: only('kept.txt') })
    expect([await place.read('kept.txt'), await place.read('a.txt')]).toEqual(['worked on since\n', null])
  })
})
