import { describe, expect, it } from 'vitest'
import { newText } from './commands/logs.ts'
import { plain } from './output.ts'
import { toolBlocks } from './tool-text.ts'

describe('a tool call that waits for approval', () => {
  it('shows command, place and arguments, each once', () => {
    const args = { command: 'rm -rf build', cwd: '/w', timeout: 5 }
    expect(toolBlocks({ title: 'Run it', args, locations: [{ path: '/w' }] }, plain)).toEqual([
      'Run it\n  in /w',
      '  rm -rf build',
      '  {\n    "timeout": 5\n  }',
    ])
  })

  it('shows a change as a diff, and every other argument', () => {
    const newText = `${'a long line that the diff shows in full '.repeat(3)}\n`
    const call = {
      title: 'Edit\u001b[2J a',
      rawInput: { file_path: '/w/a', content: newText, other: 'not in the diff' },
      content: [{ type: 'diff', path: '/w/a', oldText: null, newText }],
    }
    expect(toolBlocks(call, plain)).toEqual([
      'Edit\\x1b[2J a',
      `/w/a (new)\n@@ -0,0 +1,1 @@\n+${newText.trimEnd()}`,
      '  {\n    "content": "(as in the diff)",\n    "other": "not in the diff"\n  }',
    ])
  })

  it('can have any shape', () => {
    for (const odd of [null, 7, 'x', [], { content: 'no list', args: [1] }])
      expect(toolBlocks(odd, plain)).not.toEqual([])
  })
})

describe('error output that is read again', () => {
  it.each([
    ['', 'abc', 'abc'],
    ['abc', 'abcdef', 'def'],
    ['abc', 'abc', ''],
    ['0123456789', '6789abc', '6789abc'],
    [`${'x'.repeat(600)}end`, `${'x'.repeat(550)}end and more`, ' and more'],
  ])('%#: only new lines are shown', (before, now, part) => expect(newText(before, now)).toBe(part))
})
