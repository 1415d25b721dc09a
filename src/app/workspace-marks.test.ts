import { expect, it } from 'vitest'
import type { Command } from './command.ts'
import { markFor, type WorkspaceMarks } from './workspace-marks.ts'

const starting = (workspaceRoot: string): Command =>
  ({ type: 'session.start', session: { workspaceRoot } }) as unknown as Command

function marks(): WorkspaceMarks & { readonly read: string[] } {
  const read: string[] = []
  const mark = async (path: string) => {
    read.push(path)
    return `2@2 ${path}`
  }
  return { read, mark, holds: async () => true }
}

it('a mark that was read with the path is not read again', async () => {
  const roots = marks()
  expect(await markFor(starting('/srv/a b'), roots, '1@1 /srv/a b')).toBe('1@1 /srv/a b')
  expect(roots.read).toEqual([])
})

it.each([
  ['of another directory', '1@1 /srv/b'],
  ['of a directory whose name ends alike', '1@1 /x /srv/a'],
  ['that is missing', null],
  ['that nobody read', undefined],
])('a mark %s is read', async (_name, known) => {
  const roots = marks()
  expect(await markFor(starting('/srv/a'), roots, known)).toBe('2@2 /srv/a')
  expect(roots.read).toEqual(['/srv/a'])
})
