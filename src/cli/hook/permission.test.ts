import { describe, expect, it } from 'vitest'
import { askIdOf, concernsUs } from './permission.ts'
import { events, type ToolEvent } from './event.ts'

const event = (more: object): ToolEvent =>
  events.permission.parse({
    session_id: '8a3d86a0-08b1-4cb0-aa77-ac7944b82e43',
    cwd: '/work/shop',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls', timeout: 5 },
    tool_use_id: 'toolu_1',
    ...more,
  })
const mine = { name: 'signalbox', source: 'user' }
const request = { hook_event_name: 'PermissionRequest', tool_use_id: undefined }

describe('which tools are asked about', () => {
  it('before a use: those that change something', () => {
    expect(concernsUs(event({}), false)).toBe(true)
    expect(concernsUs(event({ tool_name: 'Read' }), false)).toBe(false)
    expect(concernsUs(event({ tool_name: 'Read' }), true)).toBe(true)
  })

  it('on a request by Claude Code: all, because it already asks', () => {
    expect(concernsUs(event({ ...request, tool_name: 'Read' }), false)).toBe(true)
  })

  it('never those that ask on their own: our own, and questions at the terminal', () => {
    expect(concernsUs(event({ tool_name: 'mcp__signalbox__ask_approval', mcp_server: mine }), true)).toBe(false)
    expect(concernsUs(event({ ...request, tool_name: 'AskUserQuestion' }), true)).toBe(false)
  })

  it.each([
    ['of a server that only a checked-out project calls signalbox', 'ask_approval', { ...mine, source: 'project' }],
    ['of a server whose origin is unknown', 'ask_approval', undefined],
    ['of a server that is described differently', 'ask_approval', { name: 'signalbox' }],
    ['that are not ours', 'run', mine],
    ['that only start like one of ours', 'heartbeat__run', mine],
  ])('but those %s', (_which, tool, mcp_server) => {
    expect(concernsUs(event({ tool_name: `mcp__signalbox__${tool}`, mcp_server }), false)).toBe(true)
  })
})

describe('the ask of a use', () => {
  it('is the same when the same use comes again', () => {
    expect(askIdOf(event({}))).toBe(askIdOf(event({ tool_input: { timeout: 5, command: 'ls' } })))
  })

  it.each([
    ['input', { tool_input: { command: 'rm -r .' } }],
    ['tool', { tool_name: 'Write' }],
    ['call', { tool_use_id: 'toolu_2' }],
    ['prompt', { prompt_id: 'b2' }],
    ['session', { session_id: '8a3d86a0-08b1-4cb0-aa77-ac7944b82e44' }],
  ])('differs for another %s', (_what, more) => {
    expect(askIdOf(event(more))).not.toBe(askIdOf(event({})))
  })

  it('is new each time if Claude Code gives no call id', () => {
    expect(askIdOf(event(request))).not.toBe(askIdOf(event(request)))
  })
})
