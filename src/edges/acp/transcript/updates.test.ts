import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { nothingKnown, type AgentAbout } from '../../../domain/agent/about.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newRandomId } from '../../../lib/id.ts'
import { freshNotes, type Notes, type Recorder } from './recorder.ts'
import { createTranscript } from './transcript.ts'
import { applyUpdate } from './updates.ts'

const at = '2030-01-01T00:00:00.000Z'

function setUp({ replaying = false } = {}) {
  const notes: Notes = { ...freshNotes }
  let about: AgentAbout = { ...nothingKnown, modes: { availableModes: [{ id: 'autoEdit' }], currentModeId: 'default' } }
  const tools: string[] = []
  const recorder: Pick<Recorder, 'notes' | 'about' | 'setAbout' | 'usedTool'> = {
    notes,
    get about() {
      return about
    },
    setAbout(change) {
      about = { ...about, ...change }
    },
    usedTool: (title) => void tools.push(title),
  }
  const transcript = createTranscript({
    sessionId: newRandomId<SessionId>(),
    childId: 'child',
    publish() {},
    cancelled: () => false,
  })
  const usageReported = vi.fn<() => void>()
  const toolFinished = vi.fn<(id: string) => void>()
  let offset = 0
  return {
    notes,
    tools,
    usageReported,
    toolFinished,
    about: () => about,
    apply: (sessionUpdate: unknown, fields: object = {}) =>
      applyUpdate({ sessionUpdate, ...fields }, (offset += 10), at, {
        transcript,
        recorder: recorder as Recorder,
        replaying,
        usageReported,
        toolFinished,
      }),
    contents: () => transcript.takeWrites().map(({ content }) => content),
  }
}

const text = (words: string) => ({ content: { type: 'text', text: words } })

describe('an update', () => {
  it.each(['compaction_update', 'compaction_summary_chunk', 'something_new', undefined, 7])(
    'of an unknown kind (%s) is skipped',
    (kind) => {
      const world = setUp()
      expect(world.apply(kind, text('x'))).toBe(false)
      expect(world.contents()).toEqual([])
    },
  )

  it('never fails, whatever it contains', () => {
    const kinds = [
      'agent_message_chunk',
      'agent_thought_chunk',
      'user_message_chunk',
      'tool_call',
      'tool_call_update',
      'plan',
      'available_commands_update',
      'current_mode_update',
      'config_option_update',
      'session_info_update',
      'usage_update',
      'notice',
    ]
    const names = ['content', 'messageId', 'toolCallId', 'title', 'status', 'kind', 'entries', 'cost', 'used', 'size']
    const fields = fc.dictionary(
      fc.constantFrom(...names, 'availableCommands', 'currentModeId', 'locations'),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fields, (kind, update) => {
        expect(setUp().apply(kind, update)).toBe(true)
      }),
    )
  })

  it('of text, thought, plan and tool calls becomes messages', () => {
    const world = setUp()
    world.apply('agent_thought_chunk', text('hm'))
    world.apply('agent_message_chunk', text('So.'))
    world.apply('plan', { entries: [{ content: 'a', status: 'pending' }] })
    world.apply('tool_call', { toolCallId: 't', title: 'Read', status: 'in_progress' })
    expect(world.contents()).toMatchObject([
      { type: 'thought', text: 'hm' },
      { type: 'text', text: 'So.' },
      { type: 'plan', steps: [{ content: 'a', status: 'pending' }] },
      { type: 'tool', title: 'Read' },
    ])
    expect(world.tools).toEqual(['Read'])
    expect(world.toolFinished).not.toHaveBeenCalled()
    world.apply('tool_call_update', { toolCallId: 't', status: 'completed' })
    expect(world.toolFinished).toHaveBeenCalledExactlyOnceWith('t')
  })

  it('of something other than text is noted', () => {
    const world = setUp()
    world.apply('agent_message_chunk', { content: { type: 'image', mimeType: 'image/png', data: 'xx' } })
    world.apply('agent_message_chunk', { content: { type: 'resource_link', name: 'a.txt', uri: 'file:///w/a.txt' } })
    expect(world.contents()).toMatchObject([{ text: '[image image/png][a.txt](file:///w/a.txt)' }])
  })

  it('without text makes no message', () => {
    const world = setUp()
    for (const content of [{ type: 'text', text: '' }, null, undefined, {}])
      world.apply('agent_message_chunk', { content })
    expect(world.contents()).toEqual([])
  })

  it('that announces a mode as text changes the mode and adds no message', () => {
    const world = setUp()
    world.apply('agent_message_chunk', text('before '))
    world.apply('agent_message_chunk', text('[MODE_UPDATE] autoEdit'))
    world.apply('agent_message_chunk', text('after'))
    expect(world.contents()).toMatchObject([{ text: 'before after' }])
    expect(world.about().modes).toEqual({ availableModes: [{ id: 'autoEdit' }], currentModeId: 'autoEdit' })
  })

  it('that only mentions modes is text', () => {
    const world = setUp()
    world.apply('agent_message_chunk', text('see [MODE_UPDATE] x'))
    expect(world.contents()).toMatchObject([{ text: 'see [MODE_UPDATE] x' }])
    expect(world.about().modes).toMatchObject({ currentModeId: 'default' })
  })

  it('of usage without a cost keeps the earlier cost', () => {
    const world = setUp()
    world.apply('usage_update', { used: 10, size: 100 })
    expect(world.notes.usage).toEqual({ used: 10, size: 100, costUsd: null })
    world.apply('usage_update', { used: 20, size: 100, cost: { amount: 0.5, currency: 'USD' } })
    world.apply('usage_update', { used: 0, size: 100 })
    world.apply('usage_update', { cost: { amount: 9, currency: 'EUR' } })
    world.apply('usage_update', { used: 'many', cost: null })
    expect(world.notes.usage).toEqual({ used: 0, size: 100, costUsd: 0.5 })
    expect(world.usageReported).toHaveBeenCalledTimes(5)
  })

  it('of commands, options, mode and title replaces the earlier ones', () => {
    const world = setUp()
    world.apply('available_commands_update', { availableCommands: [{ name: 'a' }, { name: 'b' }] })
    world.apply('available_commands_update', { availableCommands: [{ name: 'a', input: null }] })
    world.apply('config_option_update', { configOptions: [{ id: 'mode' }] })
    world.apply('current_mode_update', { currentModeId: 'plan' })
    world.apply('session_info_update', { title: 'x'.repeat(900) })
    expect(world.about()).toMatchObject({
      commands: [{ name: 'a', input: null }],
      configOptions: [{ id: 'mode' }],
      modes: { currentModeId: 'plan' },
    })
    expect(world.about().title).toHaveLength(500)
  })

  it('that reads like an API error is recorded as a rate limit', () => {
    const world = setUp()
    world.apply('agent_message_chunk', text('API Error: 429 rate limited'))
    expect(world.notes.failure).toMatchObject({ rateLimited: true })
    const other = setUp()
    other.apply('agent_message_chunk', text('I will write a test for rate limits: 429.'))
    expect(other.notes.failure).toBeNull()
  })

  it('of an old conversation that is replayed makes no new messages', () => {
    const world = setUp({ replaying: true })
    world.apply('agent_message_chunk', text('old'))
    world.apply('user_message_chunk', text('older'))
    world.apply('tool_call', { toolCallId: 't', status: 'completed' })
    world.apply('plan', { entries: [] })
    world.apply('notice', text('old'))
    world.apply('available_commands_update', { availableCommands: [{ name: 'a' }] })
    expect(world.contents()).toEqual([])
    expect(world.about().commands).toEqual([{ name: 'a' }])
  })
})
