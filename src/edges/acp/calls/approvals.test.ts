import type { ToolContent } from '../../../domain/message/schema.ts'
import { describe, expect, it, vi } from 'vitest'
import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newRandomId } from '../../../lib/id.ts'
import { silentLogger } from '../../../lib/log.ts'
import { ok } from '../../../lib/result.ts'
import type { WorkspaceFiles, UndoPoints } from '../deps.ts'
import { createApprovals, commandLine, scriptOf } from './approvals.ts'
import type { Approval } from './stored-approval.ts'

type Outcome = Awaited<ReturnType<UndoPoints['compare']>>[number]['outcome']

type World = { onDisk?: string; outcome?: Outcome; notes?: { approvals: readonly Approval[] } }

function setUp({ onDisk = '', outcome = 'as_approved', notes = { approvals: [] } }: World = {}) {
  const alerts: unknown[] = []
  const keep = vi.fn<UndoPoints['keep']>(async () => ok(undefined))
  const compare = vi.fn<UndoPoints['compare']>(async () => [{ path: '/w/a', outcome }])
  const dispatch = vi.fn(async (command: unknown) => {
    alerts.push(command)
    return ok({ subject: '', events: [], repeated: false })
  })
  const files = {
    locate: async (path: string) => ok({ path, exists: true }),
    readText: async () => ok({ text: onDisk }),
  } as unknown as WorkspaceFiles
  const approvals = createApprovals({
    app: { dispatch } as unknown as App,
    sessionId: newRandomId<SessionId>(),
    log: silentLogger,
    files,
    undo: { keep, compare },
    notes,
  })
  const tool = (more: Partial<ToolContent>): ToolContent => ({ type: 'tool', tool: 'x', args: {}, ...more })
  return { approvals, keep, compare, alerts, tool }
}

const diff = (newText: string, oldText: string | null = null) => ({ type: 'diff', path: '/w/a', oldText, newText })

describe('an approved command', () => {
  it.each<[string, Partial<ToolContent>]>([
    ['as a line', { args: { command: 'npm test' } }],
    ['as a line with spaces around it', { args: { command: ' npm test\n' } }],
    ['as a list', { args: { command: ['npm', 'test'] } }],
    ['as a list for a shell', { args: { command: ['/bin/bash', '-lc', 'npm test'] } }],
    ['as a title', { title: '`npm test`' }],
  ])('%s runs once without being asked about again', async (_how, more) => {
    for (const [program, args] of [
      ['npm test', []],
      ['npm', ['test']],
      ['/bin/sh', ['-c', 'npm test']],
    ] as const) {
      const { approvals, tool } = setUp()
      await approvals.approve('ask', 't', tool({ kind: 'execute', ...more }))
      expect(approvals.coversCommand(program, args, 1)).toBe(true)
      expect(approvals.coversCommand(program, args, 2)).toBe(false)
    }
  })

  it('does not cover another command', async () => {
    const { approvals, tool } = setUp()
    await approvals.approve('ask', 't', tool({ kind: 'execute', args: { command: 'npm test' }, title: 'make' }))
    for (const other of ['npm', 'npm test && rm -rf /', 'rm -rf /', '', 'make', 'npm  test', 'npm\ntest'])
      expect(approvals.coversCommand(other, [], 1)).toBe(false)
    for (const [program, args] of [
      ['rm', ['-rf', 'npm test']],
      ['./sh', ['-c', 'npm test']],
      ['/w/bin/bash', ['-c', 'npm test']],
      ['bash', ['--rcfile', 'evil', '-c', 'npm test']],
      ['sh', ['-c', 'rm -rf /', 'npm test']],
      ['sh', ['npm test']],
      ['npm test', ['']],
    ] as const)
      expect(approvals.coversCommand(program, args, 1)).toBe(false)
    expect(approvals.coversCommand('npm', ['test'], 1)).toBe(true)
  })

  it('as separate words does not cover a shell line with the same text', async () => {
    const { approvals, tool } = setUp()
    await approvals.approve('ask', 't', tool({ kind: 'execute', args: { command: ['echo', 'a; rm b'] } }))
    expect(approvals.coversCommand('echo a; rm b', [], 1)).toBe(false)
    expect(approvals.coversCommand('echo', ['a;', 'rm', 'b'], 1)).toBe(false)
    expect(approvals.coversCommand('echo', ['a; rm b'], 1)).toBe(true)
  })

  it('of several lines is not the same in one', async () => {
    const { approvals, tool } = setUp()
    await approvals.approve('ask', 't', tool({ kind: 'execute', args: { command: 'echo # fine\nmake' } }))
    expect(approvals.coversCommand('echo # fine make', [], 1)).toBe(false)
    expect(approvals.coversCommand('echo # fine\nmake', [], 1)).toBe(true)
  })

  it('is a command only if it was asked about as one, and only in its turn', async () => {
    const { approvals, tool } = setUp()
    await approvals.approve('ask', 't', tool({ kind: 'edit', args: { command: 'make' } }))
    expect(approvals.coversCommand('make', [], 1)).toBe(false)
    await approvals.approve('ask', 't', tool({ kind: 'execute', args: { command: 'make' } }))
    await approvals.endTurn()
    expect(approvals.coversCommand('make', [], 1)).toBe(false)
  })
})

describe('an approved write', () => {
  it('is exactly that text, or the change applied to the current file', async () => {
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

  it('is saved before, and compared when its call or its turn ends, once', async () => {
    const { approvals, keep, compare, tool } = setUp()
    await approvals.approve('ask', 't', tool({ content: [diff('new')], locations: [{ path: '/w/a' }] }))
    expect(keep).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ askId: 'ask', paths: ['/w/a'] }))
    approvals.finished('other')
    approvals.finished('t')
    await approvals.endTurn()
    expect(compare).toHaveBeenCalledExactlyOnceWith('ask')
  })

  it('that differs raises an alert', async () => {
    const { approvals, alerts, tool } = setUp({ outcome: 'differs' })
    await approvals.approve('ask', 't', tool({ content: [diff('new')] }))
    await approvals.endTurn()
    expect(alerts).toMatchObject([{ type: 'session.alert', what: 'write_differs' }])
  })
})

it('that changes no file saves none', async () => {
  const { approvals, keep, tool } = setUp()
  await approvals.approve('ask', 't', tool({ kind: 'read', locations: [{ path: '/w/a' }] }))
  expect(keep).not.toHaveBeenCalled()
})

describe('approvals after a server restart', () => {
  /** As it comes back from the database. */
  const restarted = (notes: object) => setUp({ notes: JSON.parse(JSON.stringify(notes)) })
  const approvedBefore = async (more: Partial<ToolContent>) => {
    const notes = { approvals: [] as readonly Approval[] }
    const world = setUp({ notes })
    await world.approvals.approve('ask', 't', world.tool(more))
    return { ...world, notes }
  }

  it('still covers a write, and is compared when it is over', async () => {
    const { notes } = await approvedBefore({ content: [diff('new')] })
    const { approvals, compare } = restarted(notes)
    expect(await approvals.coversWrite('/w/a', 'new')).toBe(true)
    expect(await approvals.coversWrite('/w/a', 'newer')).toBe(false)
    await approvals.endTurn()
    expect(compare).toHaveBeenCalledExactlyOnceWith('ask')
  })

  it('covers the change of a part, unless it is too long to be stored', async () => {
    for (const [length, covered] of [
      [1, true],
      [100_000, false],
    ] as const) {
      const newText = 'x'.repeat(length)
      const { notes } = await approvedBefore({ content: [diff(newText, 'two')] })
      const { approvals } = setUp({ onDisk: 'one two', notes: JSON.parse(JSON.stringify(notes)) })
      expect(await approvals.coversWrite('/w/a', `one ${newText}`)).toBe(covered)
      expect(JSON.stringify(notes).length).toBeLessThan(20_000)
    }
  })

  it('covers a command for the call that used it, and for no other', async () => {
    const { approvals: before, notes, tool } = await approvedBefore({ kind: 'execute', args: { command: 'make' } })
    expect(before.coversCommand('make', [], 7)).toBe(true)
    const { approvals } = restarted(notes)
    await approvals.approve('ask', 't', tool({ kind: 'execute', args: { command: 'make' } }))
    expect(approvals.coversCommand('make', [], 8)).toBe(false)
    expect(approvals.coversCommand('make', [], 7)).toBe(true)
  })

  it('is compared at once if it had already ended, and then forgotten', async () => {
    const { approvals: before, notes } = await approvedBefore({ content: [diff('new')] })
    before.finished('t')
    const kept = structuredClone(notes)
    await before.endTurn()
    expect(notes.approvals).toEqual([])
    const { approvals, compare } = setUp({ notes: kept })
    expect(await approvals.coversWrite('/w/a', 'new')).toBe(false)
    await approvals.endTurn()
    expect(compare).toHaveBeenCalledExactlyOnceWith('ask')
    expect(kept.approvals).toEqual([])
  })
})

it('a program with a = in its name is not shown as a variable', () => {
  expect(commandLine('A=b', ['c'])).toBe("'A=b' c")
})

it('only a shell that is known and does nothing else runs a script', () => {
  expect(scriptOf(['/bin/bash', '-lc', ' make '])).toBe('make')
  for (const words of [
    ['/w/sh', '-c', 'make'],
    ['zsh', '-c', 'make'],
    ['sh', 'make'],
    ['sh', '-ec', 'make'],
    ['sh', '-c', 'make', 'x'],
    ['sh', '-c'],
    [],
  ])
    expect(scriptOf(words)).toBeNull()
})
