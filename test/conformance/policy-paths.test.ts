import { mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approve, gitDiff, type Agent, type McpHarness, type Place } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'

describe('paths that lead out of the workspace', () => {
  let harness: McpHarness
  let outside: Place
  beforeAll(async () => {
    harness = await openOperationsHarness()
    outside = await harness.place()
    await outside.write('secret.txt', 'secret\n')
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const untouched = async () => {
    expect(await readdir(outside.path)).toEqual(['secret.txt'])
    expect(await readFile(join(outside.path, 'secret.txt'), 'utf8')).toBe('secret\n')
  }

  /** An agent whose workspace is full of traps. */
  async function trapped(): Promise<Agent> {
    const place = await harness.place()
    await symlink(outside.path, join(place.path, 'out'))
    await symlink('out', join(place.path, 'again'))
    await symlink(join(outside.path, 'secret.txt'), join(place.path, 'secret'))
    await symlink(join(outside.path, 'not-there.txt'), join(place.path, 'dangling'))
    await symlink('loop', join(place.path, 'loop'))
    await mkdir(join(place.path, 'sub'))
    await symlink('../..', join(place.path, 'sub', 'up'))
    return harness.connect({ place })
  }

  const hostile = (agent: Agent): string[] => [
    '../x.txt',
    'sub/../../x.txt',
    join(outside.path, 'x.txt'),
    join(outside.path, 'secret.txt'),
    '/etc/signalbox-test',
    'out/x.txt',
    'out/secret.txt',
    'again/x.txt',
    'secret',
    'dangling',
    'loop',
    'loop/x.txt',
    'sub/up/x.txt',
    'out/../out/x.txt',
    './../x.txt',
    '..',
    '.',
    '',
    'a\0b',
    `${agent.place.path}/../x.txt`,
    `${agent.place.path}-sibling/x.txt`,
    '/proc/self/environ',
    '/proc/self/cwd/x.txt',
    '/dev/fd/1',
    'x/'.repeat(3000),
  ]

  it('R22 ask_approval accepts none of them, and nothing is read or written', async () => {
    await using agent = await trapped()
    const through: string[] = []
    for (const file_path of hostile(agent)) {
      const said = await agent.call('ask_approval', { title: 'x', file_path, diff: 'gotcha\n' }).catch(() => null)
      if (said === null || said.isError) continue
      // An ask that opens anyway must fail when it is applied.
      const id = String(said['request_id'])
      await harness.answer({ id }, approve)
      const applied = await agent.call('accept_diff', { request_id: id })
      if (!applied.isError) through.push(file_path)
    }
    expect(through).toEqual([])
    await untouched()
  })

  it('R22 nor as a file within a diff', async () => {
    await using agent = await trapped()
    await agent.place.write('a.txt', 'one\n')
    const fair = await gitDiff({ 'a.txt': 'one\n' }, { 'a.txt': 'two\n' })
    for (const path of ['../x.txt', 'out/x.txt', 'sub/up/x.txt', join(outside.path, 'x.txt')]) {
      const foul = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+gotcha\n`
      const said = await agent.call('ask_approval', { title: 'x', file_path: 'a.txt', diff: fair + foul })
      expect(said).toMatchObject({ isError: true })
      expect(['path_violation', 'invalid_diff']).toContain(said['error_code'])
    }
    expect(await agent.place.read('a.txt')).toBe('one\n')
    await untouched()
  })

  it('R7 R22 a link swapped in between approval and write redirects nothing', async () => {
    await using agent = await trapped()
    const { place } = agent
    await place.write('docs/a.txt', 'one\n')
    const { ask, done } = await agent.begin('ask_approval', { title: 'x', file_path: 'docs/a.txt', diff: 'two\n' })
    await harness.answer(ask, approve)
    await done
    await rename(join(place.path, 'docs'), join(place.path, 'docs-before'))
    await symlink(outside.path, join(place.path, 'docs'))
    const applied = await agent.call('accept_diff', { request_id: ask.id, force: true })
    expect(applied).toMatchObject({ isError: true, error_code: 'path_violation' })
    await untouched()
    expect(await place.read('docs-before/a.txt')).toBe('one\n')
  })

  it('R22 B8 an undo is not led out of the workspace either', async () => {
    await using agent = await trapped()
    const { place } = agent
    const { ask, done } = await agent.begin('ask_approval', { title: 'x', file_path: 'docs/secret.txt', diff: 'new\n' })
    await harness.answer(ask, approve)
    await done
    expect(await agent.call('accept_diff', { request_id: ask.id })).toMatchObject({ status: 'applied' })
    await rename(join(place.path, 'docs'), join(place.path, 'docs-before'))
    await symlink(outside.path, join(place.path, 'docs'))
    expect((await harness.owner.refused('POST', `/api/asks/${ask.id}/undo`, {})).status).toBe(409)
    await untouched()
  })

  it('R22 a policy file that is a link is not used', async () => {
    await using agent = await harness.connect()
    const elsewhere = await harness.place()
    await writeFile(join(elsewhere.path, 'p.json'), '{"enabled":true,"file_patterns":{"write":["**"]}}')
    await mkdir(join(agent.place.path, '.signalbox'))
    await symlink(join(elsewhere.path, 'p.json'), join(agent.place.path, '.signalbox', 'settings.json'))
    const { ask } = await agent.begin('ask_approval', { title: 'x', file_path: 'a.txt', diff: 'x\n' })
    expect(ask).toMatchObject({ status: 'open', automatic: false })
  })
})
