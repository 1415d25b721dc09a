import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MessageWrite } from '../../../domain/agent/schema.ts'
import { isOpen, MessageContent, type Message, type MessageId } from '../../../domain/message/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newRandomId } from '../../../lib/id.ts'
import { createTranscript, type LiveFrame, type Transcript, type TranscriptNotes } from './transcript.ts'

const sessionId = newRandomId<SessionId>()
const time = (offset: number) => new Date(Date.parse('2030-01-01T00:00:00.000Z') + offset).toISOString()

/** A transcript with its messages stored; `restart` continues only from the store. */
function setUp({ cancelled = false } = {}) {
  const stored = new Map<MessageId, Message>()
  const final = new Map<MessageId, boolean>()
  const frames: LiveFrame[] = []
  let offset = 0
  const create = (from?: { notes: TranscriptNotes; messages: readonly Message[] }) =>
    createTranscript({
      sessionId,
      childId: 'child',
      publish: (frame) => void frames.push(frame),
      cancelled: () => cancelled,
      ...(from && { from }),
    })
  let transcript: Transcript = create()

  function store(): MessageWrite[] {
    const writes = transcript.takeWrites()
    for (const { id, role, content, at, final: whole } of writes) {
      const timestamp = stored.get(id)?.timestamp ?? at
      stored.set(id, structuredClone({ id, sessionId, role, content, timestamp }))
      final.set(id, whole)
    }
    return writes
  }

  return {
    frames,
    get transcript() {
      return transcript
    },
    next: () => (offset += 10),
    text(words: string, key: string | null = null, kind: 'text' | 'thought' = 'text') {
      transcript.text(kind, words, key, (offset += 10), time(offset))
    },
    tool: (id: string, part: object = {}) => transcript.tool({ toolCallId: id, ...part }, (offset += 10), time(offset)),
    plan: (...steps: object[]) => transcript.plan(steps, (offset += 10), time(offset)),
    note: (words: string) => transcript.note(words, (offset += 10), time(offset)),
    store,
    isFinal: (id: MessageId) => final.get(id),
    messages(): Message[] {
      store()
      return structuredClone([...stored.values()])
    },
    contents(): MessageContent[] {
      store()
      return [...stored.values()].map(({ content }) => structuredClone(content))
    },
    restart() {
      store()
      const notes = JSON.parse(JSON.stringify(transcript.notes())) as TranscriptNotes
      transcript = create({ notes, messages: structuredClone([...stored.values()]) })
    },
  }
}

const said = (text: string, partial = false) => ({ type: 'text', text, partial })
const thought = (text: string, partial = false) => ({ type: 'thought', text, partial })

describe('an agent’s text', () => {
  it('in chunks is one message, open until something else comes', () => {
    const world = setUp()
    for (const chunk of ['Hel', 'lo', '!']) world.text(chunk)
    expect(world.contents()).toEqual([said('Hello!', true)])
    world.transcript.closeText()
    expect(world.contents()).toEqual([said('Hello!')])
  })

  it('under another message id is another message', () => {
    const world = setUp()
    world.text('one', 'm1')
    world.text(' more', 'm1')
    world.text('two', 'm2')
    expect(world.contents()).toEqual([said('one more'), said('two', true)])
  })

  it('without a message id continues the open text and keeps its id', () => {
    const world = setUp()
    world.text('a')
    world.text('b', 'm1')
    world.text('c')
    world.text('d', 'm2')
    expect(world.contents()).toEqual([said('abc'), said('d', true)])
  })

  it('as speech and thought is two messages, even under one message id', () => {
    const world = setUp()
    world.text('hm', 'm1', 'thought')
    world.text('So.', 'm1')
    expect(world.messages().map(({ role, content }) => [role, content])).toEqual([
      ['system', thought('hm')],
      ['agent', said('So.', true)],
    ])
  })

  it.each([
    ['a tool call', (world: ReturnType<typeof setUp>) => void world.tool('t')],
    ['a plan', (world: ReturnType<typeof setUp>) => world.plan({ content: 'x' })],
    ['a note', (world: ReturnType<typeof setUp>) => world.note('x')],
  ])('before and after %s is two messages', (_what, between) => {
    const world = setUp()
    world.text('before')
    between(world)
    world.text('after')
    const texts = world.contents().filter((content) => content.type === 'text' && content.text !== 'x')
    expect(texts).toEqual([said('before'), said('after', true)])
  })

  it('is not split by a tool call update without changes', () => {
    const world = setUp()
    world.tool('t', { status: 'completed', title: 'Read' })
    world.text('one ')
    world.store()
    world.tool('t', { _meta: { toolResponse: {} } })
    world.tool('t', { status: 'completed', title: 'Read', rawInput: {} })
    world.text('text')
    expect(world.contents()).toMatchObject([{ status: 'completed' }, said('one text', true)])
  })

  it('beyond two million characters continues in another message', () => {
    const world = setUp()
    world.text('x'.repeat(2_000_000))
    world.text('y')
    expect(world.contents().map((content) => ('text' in content ? content.text.length : 0))).toEqual([2_000_000, 1])
  })

  it('in one enormous chunk is as many messages as it takes', () => {
    const world = setUp()
    world.text('x'.repeat(5_000_000))
    const contents = world.contents()
    expect(contents.map((content) => ('text' in content ? content.text.length : 0))).toEqual([
      2_000_000, 2_000_000, 1_000_000,
    ])
    expect(contents.every((content) => MessageContent.safeParse(content).success)).toBe(true)
  })

  it('is published live and completely, each part with its position', () => {
    const part = fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean())
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), fc.boolean(), (parts, isLost) => {
        const world = setUp()
        for (const [words, together] of parts) {
          world.text(words)
          if (!together) world.transcript.tell()
        }
        if (isLost) world.transcript.lose()
        else world.transcript.closeText()
        let built = ''
        for (const { data } of world.frames) {
          const { at, text } = data as { at: number; text: string }
          expect(at).toBe(built.length)
          built += text
        }
        expect(world.contents()).toEqual([said(built, isLost)])
      }),
    )
  })
})

describe('a tool call', () => {
  it('is one message in its place, whatever comes between', () => {
    const world = setUp()
    world.tool('a', { title: 'first' })
    world.tool('b', { title: 'second' })
    world.text('hm')
    world.tool('a', { status: 'completed' })
    expect(world.contents()).toMatchObject([
      { title: 'first', status: 'completed' },
      { title: 'second', status: 'pending' },
      said('hm'),
    ])
  })

  it('that completes after the turn was cancelled was cut off', () => {
    const world = setUp({ cancelled: true })
    world.tool('a')
    expect(world.tool('a', { status: 'completed' }).status).toBe('cancelled')
    world.tool('b')
    expect(world.tool('b', { status: 'failed' }).status).toBe('failed')
  })

  it.each([
    [true, 'cancelled'],
    [false, 'failed'],
  ] as const)('left open at the end of a turn (cancelled: %s) is %s', (cancelled, status) => {
    const world = setUp()
    world.tool('a')
    world.tool('b', { status: 'completed' })
    world.text('so')
    world.transcript.endTurn(cancelled)
    expect(world.contents()).toMatchObject([{ status }, { status: 'completed' }, said('so')])
    expect(world.transcript.openTools()).toEqual([])
    expect(world.transcript.toolOf('a')).toBeUndefined()
  })

  it('of the next turn is another message, even under the same id', () => {
    const world = setUp()
    world.tool('a', { title: 'one', status: 'completed' })
    world.transcript.endTurn(false)
    world.tool('a', { title: 'two' })
    expect(world.contents()).toMatchObject([{ title: 'one' }, { title: 'two' }])
  })

  it('that is repeated is counted, by what it does', () => {
    const world = setUp()
    const run = (id: string, command: string) => {
      world.tool(id, { title: 'Run', rawInput: { command } })
      world.tool(id, { status: 'failed' })
    }
    run('1', 'make')
    expect(world.transcript.repeats()).toBeNull()
    run('2', 'make')
    run('3', 'make')
    expect(world.transcript.repeats()).toEqual({ title: 'Run', count: 3 })
    run('4', 'ls')
    expect(world.transcript.repeats()).toBeNull()
  })

  it('says since when it has been open', () => {
    const world = setUp()
    world.tool('a', { kind: 'execute' })
    expect(world.transcript.openTools()).toEqual([{ title: 'execute', since: time(10) }])
  })
})

describe('a plan', () => {
  it('is changed in place within a turn, and a new one in the next', () => {
    const world = setUp()
    world.plan({ content: 'a', status: 'pending' })
    world.plan({ content: 'a', status: 'completed' })
    world.transcript.endTurn(false)
    world.plan({ content: 'b' })
    expect(world.contents()).toEqual([
      { type: 'plan', steps: [{ content: 'a', status: 'completed' }] },
      { type: 'plan', steps: [{ content: 'b' }] },
    ])
  })
})

it('when the agent is lost, what it was saying stays partial, and its tool calls have failed', () => {
  const world = setUp()
  world.tool('a')
  world.text('I was')
  world.transcript.lose()
  expect(world.contents()).toMatchObject([{ status: 'failed' }, said('I was', true)])
  world.text('anew')
  expect(world.contents()).toHaveLength(3)
})

describe('what is written', () => {
  it('contains only what changed, in its current state', () => {
    const world = setUp()
    world.text('a')
    expect(world.transcript.isDirty()).toBe(true)
    expect(world.store()).toMatchObject([{ content: said('a', true), final: false }])
    expect(world.transcript.isDirty()).toBe(false)
    expect(world.store()).toEqual([])
    world.tool('t')
    expect(world.store()).toMatchObject([{ content: said('a'), final: true }, { final: false }])
  })

  it('is not changed by later updates', () => {
    const world = setUp()
    world.text('a')
    const [write] = world.transcript.takeWrites()
    world.text('b')
    expect(write?.content).toEqual(said('a', true))
  })

  it('can be read as it grows, before it is written', () => {
    const world = setUp()
    world.text('a')
    world.store()
    world.text('b')
    world.note('n')
    expect(world.transcript.growing().map(({ content }) => content)).toEqual([said('ab'), said('n')])
  })

  it('can be read until what was taken is stored', () => {
    const world = setUp()
    world.note('n')
    world.transcript.takeWrites()
    expect(world.transcript.growing().map(({ content }) => content)).toEqual([said('n')])
    world.transcript.stored()
    expect(world.transcript.growing()).toEqual([])
  })
})

type Step =
  | { do: 'text'; kind: 'text' | 'thought'; words: string; key: string | null }
  | { do: 'tool'; id: string; part: object }
  | { do: 'plan'; step: string }
  | { do: 'note'; words: string }
  | { do: 'endTurn'; cancelled: boolean }
  | { do: 'closeText' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('text' as const),
      kind: fc.constantFrom('text' as const, 'thought' as const),
      words: fc.string({ minLength: 1, maxLength: 5 }),
      key: fc.constantFrom(null, null, 'm1', 'm2'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('tool' as const),
      id: fc.constantFrom('a', 'b'),
      part: fc.record(
        {
          title: fc.constantFrom('Run', 'Edit', null),
          status: fc.constantFrom('pending', 'in_progress', 'completed', 'failed'),
          content: fc.constantFrom([], [{ type: 'diff', path: '/w/a', newText: 'x' }]),
          rawOutput: fc.constantFrom('out', { exit: 1 }),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  fc.record({ do: fc.constant('plan' as const), step: fc.string({ maxLength: 3 }) }),
  fc.record({ do: fc.constant('note' as const), words: fc.string({ minLength: 1, maxLength: 3 }) }),
  fc.record({ do: fc.constant('endTurn' as const), cancelled: fc.boolean() }),
  fc.constant({ do: 'closeText' as const }),
)

function take(world: ReturnType<typeof setUp>, one: Step): void {
  if (one.do === 'text') world.text(one.words, one.key, one.kind)
  else if (one.do === 'tool') world.tool(one.id, one.part)
  else if (one.do === 'plan') world.plan({ content: one.step })
  else if (one.do === 'note') world.note(one.words)
  else if (one.do === 'endTurn') world.transcript.endTurn(one.cancelled)
  else world.transcript.closeText()
}

describe('a restart', () => {
  it('between any two updates does not change what is stored', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(step, fc.constantFrom('go on', 'store', 'restart')), { maxLength: 25 }),
        fc.boolean(),
        (steps, cancelled) => {
          const [through, cut] = [setUp({ cancelled }), setUp({ cancelled })]
          for (const [one, then] of steps) {
            take(through, one)
            take(cut, one)
            if (then === 'store') cut.store()
            if (then === 'restart') cut.restart()
          }
          expect(cut.messages()).toEqual(through.messages())
          expect(cut.transcript.notes()).toEqual(through.transcript.notes())
          expect(cut.transcript.openTools()).toEqual(through.transcript.openTools())
        },
      ),
    )
  })

  it('leaves nothing open at the end of a turn, and marks nothing complete that is not', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const world = setUp()
        for (const one of steps) take(world, one)
        for (const { id, content } of world.messages()) expect(world.isFinal(id)).toBe(!isOpen(content))
        world.transcript.endTurn(false)
        expect(world.contents().filter(isOpen)).toEqual([])
        expect(world.transcript.notes()).toEqual({ text: null, plan: null, tools: [] })
      }),
    )
  })
})
