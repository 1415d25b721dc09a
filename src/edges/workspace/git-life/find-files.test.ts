import { expect, it } from 'vitest'
import { bestMatches } from './find-files.ts'

const files = ['docs/gate.md', 'src/gate.ts', 'src/fence/gate-post.ts', 'gates/readme.md', 'src/green-tea.ts']

it('names come before folders, and those before letters in order', () => {
  expect(bestMatches(files, 'gate', 10)).toEqual([
    'docs/gate.md',
    'src/gate.ts',
    'src/fence/gate-post.ts',
    'gates/readme.md',
  ])
  expect(bestMatches(files, 'GTE', 10)).toEqual(files)
  expect(bestMatches(files, 'srcgate', 10)).toEqual(['src/gate.ts', 'src/fence/gate-post.ts'])
  expect(bestMatches(files, '', 2)).toEqual(files.slice(0, 2))
  expect(bestMatches(files, 'nothing', 10)).toEqual([])
})

it('takes bounded time for many files and long words', () => {
  const many = Array.from({ length: 200_000 }, (_, n) => `folder-${n}/${'a'.repeat(50)}.ts`)
  expect(bestMatches(many, 'a'.repeat(200), 20)).toEqual([])
})
