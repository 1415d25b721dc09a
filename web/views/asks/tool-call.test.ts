import { describe, expect, it } from 'vitest'
import { diffOfEdits } from './edits-diff.ts'
import { readToolCall } from './tool-call.ts'

describe('a tool call as an agent sends it', () => {
  it('shows its edits, its command and where it runs, with paths relative to the workspace', () => {
    const read = readToolCall(
      {
        tool: 'edit',
        args: { command: ['rm', '-rf', 'a b'], cwd: '/w' },
        content: [
          { type: 'diff', path: '/w/a.ts', oldText: 'x\n', newText: 'y\n' },
          { type: 'content', content: { type: 'text', text: 'why' } },
        ],
        locations: [{ path: '/w/a.ts' }, { path: '/w/a.ts' }],
      },
      '/w',
    )
    expect(read).toMatchObject({
      command: "rm -rf 'a b'",
      cwd: '/w',
      locations: ['a.ts'],
      texts: ['why'],
      edits: [{ path: 'a.ts', oldText: 'x\n', newText: 'y\n' }],
    })
  })

  it('is empty if it can’t be read', () => {
    for (const odd of [null, 3, 'x', [], { content: 'no', args: null, locations: [null, { path: 4 }] }])
      expect(readToolCall(odd)).toMatchObject({ edits: [], command: null, locations: [], texts: [], input: null })
  })
})

describe('the diff of a change an agent describes', () => {
  it('names each file, and marks a new one as new', () => {
    const diff = diffOfEdits([
      { path: 'a.ts', oldText: 'one\ntwo\n', newText: 'one\nthree\n' },
      { path: 'b.ts', oldText: null, newText: 'new\n' },
    ])
    expect(diff).toContain('--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n')
    expect(diff).toContain('--- /dev/null\n+++ b/b.ts\n@@ -0,0 +1,1 @@\n+new\n')
  })

  it('does not let a file name add lines', () => {
    const diff = diffOfEdits([{ path: 'a\n+++ b/evil', oldText: null, newText: 'x\n' }])
    expect(diff.split('\n').filter((line) => line.startsWith('+++ '))).toEqual(['+++ b/a +++ b/evil'])
  })
})
