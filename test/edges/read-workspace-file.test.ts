import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SessionId } from '../../src/domain/session/id.ts'
import { newRandomId } from '../../src/lib/id.ts'
import { createWorkspaceFiles } from '../../src/server/workspace.ts'

let base: string
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'sbf-')))
  await mkdir(join(base, 'work/out'), { recursive: true })
  await writeFile(join(base, 'outside.txt'), 'private')
  await writeFile(join(base, 'work/.env'), 'KEY=1')
  await writeFile(join(base, 'work/out/report.txt'), 'all good')
  await symlink(join(base, 'outside.txt'), join(base, 'work/link.txt'))
  await symlink('.env', join(base, 'work/notes.txt'))
  execFileSync('mkfifo', [join(base, 'work/pipe')])
})
afterAll(() => rm(base, { recursive: true, force: true }))

async function read(path: string, most = 100) {
  const refused: string[] = []
  // Only these are used when a file is read.
  const deps = {
    app: { read: { workspaceMark: async () => null } },
    refused: async (one: string) => void refused.push(one),
  } as unknown as Parameters<typeof createWorkspaceFiles>[0]
  const session = { id: newRandomId<SessionId>(), workspaceRoot: join(base, 'work') }
  const file = await createWorkspaceFiles(deps).readFile(session, path, most)
  return file.ok ? { inside: file.value.inside, text: file.value.bytes.toString() } : file.fault.code
}

it.each([
  ['../outside.txt', 'path_violation'],
  ['/etc/hostname', 'path_violation'],
  ['link.txt', 'path_violation'],
  ['out', 'is_a_directory'],
  ['pipe', 'not_a_file'],
  ['nothing.txt', 'file_not_found'],
  ['out/report.txt', { inside: 'out/report.txt', text: 'all good' }],
  // Its real name says that it holds secrets.
  ['notes.txt', { inside: '.env', text: 'KEY=1' }],
])('C4 a file that an agent sends: %s', async (path, expected) => {
  expect(await read(path)).toEqual(expected)
})

it('C4 a file beyond the limit is not read', async () => {
  expect(await read('out/report.txt', 7)).toBe('file_too_large')
  expect(await read('out/report.txt', 8)).toMatchObject({ text: 'all good' })
})
