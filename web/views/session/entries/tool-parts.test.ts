import { describe, expect, it } from 'vitest'
import type { ToolContent } from '../../../../src/domain/message/schema.ts'
import { commandOf, editsOf, inputOf, outputsOf, placesOf } from './tool-parts.ts'

const tool = (more: Partial<ToolContent>): ToolContent => ({ type: 'tool', tool: 'x', args: {}, ...more })

describe('what a tool call shows', () => {
  it('is its diffs, text and locations', () => {
    const call = tool({
      content: [
        { type: 'diff', path: 'a.txt', newText: 'new' },
        { type: 'content', content: { type: 'text', text: 'said' } },
        { type: 'content', content: { type: 'image', mimeType: 'image/png' } },
      ],
      locations: [{ path: 'a.txt', line: 3 }, { path: 'b.txt' }],
    })
    expect(editsOf(call)).toEqual([{ path: 'a.txt', oldText: null, newText: 'new' }])
    expect(outputsOf(call)).toEqual(['said', '[image image/png]'])
    expect(placesOf(call)).toEqual(['a.txt:3', 'b.txt'])
  })

  it('has file names relative to the workspace', () => {
    const call = tool({
      content: [{ type: 'diff', path: '/srv/garden/a.txt', newText: '' }],
      locations: [{ path: '/srv/garden/a.txt' }, { path: '/srv/gardens/b.txt' }],
    })
    expect(editsOf(call, '/srv/garden')[0]?.path).toBe('a.txt')
    expect(placesOf(call, '/srv/garden')).toEqual(['a.txt', '/srv/gardens/b.txt'])
  })

  it('is its result if there is nothing else', () => {
    expect(outputsOf(tool({ result: 'done' }))).toEqual(['done'])
    expect(outputsOf(tool({ result: { ok: true } }))).toEqual(['{\n  "ok": true\n}'])
    expect(outputsOf(tool({}))).toEqual([])
  })

  it('is nothing if it is malformed', () => {
    const odd = tool({ content: 'no list', locations: { path: 'x' }, args: 'words' })
    expect([editsOf(odd), outputsOf(odd), placesOf(odd)]).toEqual([[], [], []])
    expect(editsOf(tool({ content: [null, 3, { type: 'diff', path: 4 }] }))).toEqual([])
    expect(inputOf(odd)).toBe('words')
  })
})

describe('a tool’s input', () => {
  it('leaves out what is already shown', () => {
    const call = tool({
      args: { command: 'ls -l', path: 'a.txt', content: 'new', depth: 2 },
      content: [{ type: 'diff', path: 'a.txt', oldText: 'old', newText: 'new' }],
    })
    expect(commandOf(call)).toBe('ls -l')
    expect(inputOf(call)).toBe('{\n  "depth": 2\n}')
    expect(inputOf(tool({}))).toBeNull()
    expect(commandOf(tool({ args: { command: ['git', 'status'] } }))).toBe('git status')
  })
})
