import { describe, expect, it } from 'vitest'
import { emptyFile } from './diff-model.ts'
import { countIn, treeOf, type FileTree } from './file-tree.ts'

const tree = (...paths: string[]) => treeOf(paths.map((path, index) => ({ file: emptyFile(path, 'modified'), index })))
const drawn = ({ name, dirs, files }: FileTree): unknown => ({
  [name]: [...dirs.map(drawn), ...files.map((file) => file.name)],
})

describe('the tree of files', () => {
  it('joins directories that hold one directory', () => {
    expect(drawn(tree('src/app/a.ts', 'src/app/b.ts', 'docs/x.md', 'README.md'))).toEqual({
      '': [{ 'src/app': ['a.ts', 'b.ts'] }, { docs: ['x.md'] }, 'README.md'],
    })
  })
  it('counts all files below', () => {
    expect(countIn(tree('a/b/1', 'a/2', '3'))).toBe(3)
  })
})
