import { describe, expect, it, vi } from 'vitest'
import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newRandomId } from '../../../lib/id.ts'
import { silentLogger } from '../../../lib/log.ts'
import { ok } from '../../../lib/result.ts'
import { createApprovals } from './approvals.ts'
import type { Files, Undo } from '../means.ts'
import type { ToolContent } from '../transcript/tool-call.ts'

type Outcome = Awaited<ReturnType<Undo['compare']>>[number]['outcome']

function setUp({ onDisk = '', outcome = 'as_approved' }: { onDisk?: string; outcome?: Outcome } = {}) {
  const alerts: unknown[] = []
  const keep = vi.fn<Undo['keep']>(async () => ok(undefined))
  const compare = vi.fn<Undo['compare']>(async () => [{ path: '/w/a', outcome }])
  const dispatch = vi.fn(async (command: unknown) => {
    alerts.push(command)
    return ok({ subject: '', events: [], repeated: false })
  })
  const files = {
    locate: async (path: string) => ok({ path, exists: true }),
    readText: async () => ok({ text: onDisk }),
  } as unknown as Files
  const approvals = createApprovals({
    app: { dispatch } as unknown as App,
    sessionId: newRandomId<SessionId>(),
    log: silentLogger,
    files,
    undo: { keep, compare },
  })
  const tool = (more: Partial<ToolContent>): ToolContent => ({ type: 'tool', tool: 'x', args: {}, ...more })
  return { approvals, keep, compare, alerts, tool }
}

const diff = (newText: string, oldText: string | null = null) => ({ type: 'diff', path: '/w/a', oldText, newText })

describe('a command that was approved', () => {
  it.each<[string, Partial<ToolContent>]>([
    ['as a line', { args: { command: 'npm test' } }],
    ['as a line with other spaces', { args: { command: ' npm   test' } }],
    ['as a list', { args: { command: ['npm', 'test'] } }],
    ['as a list for a shell', { args: { command: ['/bin/bash', '-lc', 'npm test'] } }],
    ['as a title', { title: '`npm test`' }],
  ])('%s runs once without being asked for again', async (_how, more) => {
    for (const [program, args] of [
      ['npm test', []],
      ['npm', ['test']],
      ['/bin/sh', ['-c', 'npm test']],
    ] as const) {
      const { approvals, tool } = setUp()
      await approvals.approve('ask', 't', tool({ kind: 'execute', ...more }))
      expect(approvals.coversCommand(program, args)).toBe(true)
      expect(approvals.coversCommand(program, args)).toBe(false)
    }
  })

  it('does not cover another command', async () => {
    const { approvals, tool } = setUp()
    await approvals.approve('ask', 't', tool({ kind: 'execute', args: { command: 'npm test' }, title: 'Run npm test' }))
    for (const other of ['npm', 'npm test && rm -rf /', 'rm -rf /', ''])
      expect(approvals.coversCommand(other, [])).toBe(false)
    expect(approvals.coversCommand('rm', ['-rf', 'npm test'])).toBe(false)
  })

  it('is a command only if it was asked for as one, and only in its turn', async () => {
    const { approvals, tool } = setUp()
    await approvals.approve('ask', 't', tool({ kind: 'edit', args: { command: 'make' } }))
    expect(approvals.coversCommand('make', [])).toBe(false)
    await approvals.approve('ask', 't', tool({ kind: 'execute', args: { command: 'make' } }))
    await approvals.endTurn()
    expect(approvals.coversCommand('make', [])).toBe(false)
  })
})

describe('a write that was approved', () => {
  it('is the very text, or the change applied to what is there', async () => {
    const whole = setUp()
    await whole.approvals.approve('ask', 't', whole.tool({ content: [diff('new')] }))
    expect(await whole.approvals.coversWrite('/w/a', 'new')).toBe(true)
    expect(await whole.approvals.coversWrite('/w/a', 'newer')).toBe(false)
    expect(await whole.approvals.coversWrite('/w/b', 'new')).toBe(false)
    const lines = setUp({ onDisk: 'one two three' })
    await lines.approvals.approve('ask', 't', lines.tool({ content: [diff('2', 'two')] }))
    expect(await lines.approvals.coversWrite('/w/a', 'one 2 three')).toBe(true)
    expect(await lines.approvals.coversWrite('/w/a', 'one 2 four')).toBe(false)
  })

  it('is kept before, and compared when its call is over or its turn ends, once', async () => {
    const { approvals, keep, compare, tool } = setUp()
    await approvals.approve('ask', 't', tool({ content: [diff('new')], locations: [{ path: '/w/a' }] }))
    expect(keep).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ askId: 'ask', paths: ['/w/a'] }))
    approvals.finished('other')
    approvals.finished('t')
    await approvals.endTurn()
    expect(compare).toHaveBeenCalledExactlyOnceWith('ask')
  })

  it('that turned out otherwise is told', async () => {
    const { approvals, alerts, tool } = setUp({ outcome: 'differs' })
    await approvals.approve('ask', 't', tool({ content: [diff('new')] }))
    await approvals.endTurn()
    expect(alerts).toMatchObject([{ type: 'session.alert', what: 'write_differs' }])
  })
})

it('what changes no file keeps none', async () => {
  const { approvals, keep, tool } = setUp()
  await approvals.approve('ask', 't', tool({ kind: 'read', locations: [{ path: '/w/a' }] }))
  expect(keep).not.toHaveBeenCalled()
})
