import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MessageContent, type ToolContent } from '../../../domain/message/schema.ts'
import { editsOf, mergeToolCall, pathsOf, callFingerprint, type ToolCallPart } from './tool-call.ts'

const toolCallId = 'call-1'
const merge = (...parts: Omit<ToolCallPart, 'toolCallId'>[]): ToolContent => {
  let tool: ToolContent | undefined
  for (const part of parts) tool = mergeToolCall(tool, { toolCallId, ...part })
  if (!tool) throw new Error('nothing to merge')
  return tool
}
const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } })
const diff = { type: 'diff', path: '/w/a.txt', oldText: null, newText: 'new' }
const statuses = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] as const

describe('a tool call', () => {
  it('can start with anything: a request for permission, an update, an announcement', () => {
    expect(merge({ title: 'Run make', kind: 'execute' })).toEqual({
      type: 'tool',
      tool: 'execute',
      args: {},
      toolCallId,
      title: 'Run make',
      kind: 'execute',
      status: 'pending',
    })
    expect(merge({ status: 'completed' })).toMatchObject({ tool: 'other', status: 'completed' })
  })

  it('announced after it was asked about is the same call', () => {
    const asked = { title: 'make', kind: 'execute', status: 'pending', rawInput: { command: ['make'] } }
    const { rawInput: args, ...rest } = asked
    expect(merge(asked, { status: 'in_progress' })).toMatchObject({ ...rest, args, status: 'in_progress' })
  })

  it('keeps fields that are left out or null', () => {
    const whole = { title: 'Edit', kind: 'edit', status: 'in_progress', locations: [{ path: '/w/a' }], content: [diff] }
    const nothing = {
      title: null,
      kind: null,
      status: null,
      rawInput: null,
      rawOutput: null,
      content: null,
      locations: null,
    }
    const tool = merge(whole)
    expect(merge(whole, {})).toEqual(tool)
    expect(merge(whole, nothing)).toEqual(tool)
    expect(merge(whole, { _meta: { claudeCode: { toolResponse: {} } } })).toEqual(tool)
  })

  it('is cleared by empty lists', () => {
    expect(
      merge({ content: [text('a')], locations: [{ path: '/w/a' }] }, { content: [], locations: [] }),
    ).toMatchObject({
      content: [],
      locations: [],
    })
  })

  it('gets its real title and input after a placeholder', () => {
    expect(
      merge({ title: 'Terminal', rawInput: {}, content: [] }, { title: '`make`', rawInput: { command: 'make' } }),
    ).toMatchObject({ title: '`make`', args: { command: 'make' } })
  })

  it('keeps showing a diff that a later update leaves out', () => {
    const done = merge({ content: [diff] }, { status: 'completed', content: [text('Wrote file successfully.')] })
    expect(done.content).toEqual([diff, text('Wrote file successfully.')])
    expect(merge({ content: [diff] }, { status: 'completed', content: [] }).content).toEqual([diff])
  })

  it('shows the newer diff if there is one', () => {
    const newer = { ...diff, newText: 'newer' }
    expect(merge({ content: [diff] }, { content: [text('ok'), newer] }).content).toEqual([text('ok'), newer])
  })

  it('that has ended stays ended, in any order of updates', () => {
    const parts = fc.array(fc.record({ status: fc.constantFrom(...statuses, null, 'running') }), { minLength: 1 })
    fc.assert(
      fc.property(parts, (updates) => {
        const over = updates.find(
          ({ status }) => status === 'completed' || status === 'failed' || status === 'cancelled',
        )
        const { status } = merge(...updates)
        expect(over ? [over.status] : ['pending', 'in_progress']).toContain(status)
      }),
    )
  })

  it('is named by what the agent reveals, and keeps the name', () => {
    expect(merge({ kind: 'edit' }).tool).toBe('edit')
    expect(merge({ title: 'Approve MCP tool call' }).tool).toBe('other')
    expect(merge({ kind: 'edit', _meta: { claudeCode: { toolName: 'Write' } } }, { kind: 'other' }).tool).toBe('Write')
    expect(merge({ name: 'shell' }, { kind: 'execute' }).tool).toBe('shell')
    expect(merge({ _meta: { toolName: 'x' } }, { _meta: null }).tool).toBe('x')
  })

  it.each([
    ['as words', 'out'],
    ['as a list', [{ type: 'text', text: 'out' }]],
    ['as a table', { stdout: 'out' }],
  ])('takes its result %s', (_how, rawOutput) => {
    expect(merge({ status: 'completed', rawOutput }).result).toEqual(rawOutput)
  })

  it('without its own output has its final text as its result', () => {
    expect(merge({ status: 'completed', content: [text('one'), diff, text('two')] }).result).toBe('one\ntwo')
    expect(merge({ status: 'in_progress', content: [text('one')] }).result).toBeUndefined()
    expect(merge({ status: 'completed', content: [] }).result).toBeUndefined()
  })

  it('reads any input without failing, as a message that can be stored', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(...statuses, [diff], [text('x')], [null]))
    const names = ['name', 'title', 'kind', 'status', 'rawInput', 'rawOutput', 'content', 'locations', '_meta']
    const part = fc.dictionary(fc.constantFrom(...names), anything)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        const tool = merge(...parts)
        expect(MessageContent.safeParse(tool).success).toBe(true)
        expect(editsOf(tool).every(({ path }) => typeof path === 'string')).toBe(true)
        expect(pathsOf(tool).every((path) => typeof path === 'string')).toBe(true)
      }),
    )
  })
})

describe('the changes a tool call shows', () => {
  it.each([
    ['null', { oldText: null }],
    ['left out', {}],
  ])('mean a new file if the old text is %s', (_how, old) => {
    const content = [{ type: 'diff', path: '/w/a', newText: 'x', ...old }]
    expect(editsOf({ content })).toEqual([{ path: '/w/a', oldText: null, newText: 'x' }])
  })

  it('treat an empty old text separately: it may be an empty file', () => {
    expect(editsOf({ content: [{ type: 'diff', path: '/w/a', oldText: '', newText: 'x' }] })).toMatchObject([
      { oldText: '' },
    ])
  })

  it('skip what is not a diff', () => {
    expect(editsOf({ content: [text('a'), null, { type: 'diff', path: 1 }, { type: 'terminal' }] })).toEqual([])
    expect(editsOf({})).toEqual([])
    expect(pathsOf({ locations: [{ path: '/w/a', line: 3 }, null, 'x', {}] })).toEqual(['/w/a'])
  })
})

it('two calls are the same if they do the same, whatever their outcome', () => {
  const one = merge({ title: 'make', rawInput: { a: 1, b: 2 } })
  expect(callFingerprint(merge({ title: 'make', rawInput: { b: 2, a: 1 }, status: 'failed', rawOutput: 'x' }))).toBe(
    callFingerprint(one),
  )
  expect(callFingerprint(merge({ title: 'make', rawInput: { a: 2 } }))).not.toBe(callFingerprint(one))
})
