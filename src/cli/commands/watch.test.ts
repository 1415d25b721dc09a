import { describe, expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { plain } from '../output.ts'
import { catchUp } from './catch-up.ts'
import { watch } from './watch.ts'

const id = '1f0c3a7e-1111-4000-8000-000000000001'
const started = {
  sessionId: id,
  sessionType: 'file',
  state: 'active',
  name: null,
  command: null,
  host: null,
  user: null,
  logFile: '/var/log/install.log',
  exitCode: null,
  exitSignal: null,
  detection: null,
}
const waiting = {
  waiting: true,
  state: 'waiting',
  promptText: 'Continue? [Y/n]',
  promptType: 'yes_no',
  confidence: 0.97,
  isDangerous: false,
}
const watchFlags = { script: false, name: undefined, 'from-start': false, detach: false }
const catchUpFlags = { session: undefined, since: undefined, budget: undefined, severity: undefined }

function desk(client: Record<string, unknown>, stop = new AbortController()) {
  const printed: string[] = []
  const context = {
    json: false,
    url: undefined,
    out: {
      print: (text: string) => printed.push(`${text}\n`),
      write: async (text: string) => void printed.push(text),
      note: (text: string) => printed.push(`# ${text}\n`),
      json: (value: unknown) => printed.push(JSON.stringify(value)),
      width: 100,
      paint: plain,
    },
    now: () => Date.parse('2026-06-15T12:00:00.000Z'),
    api: async () => ({ client }),
    interrupted: () => stop.signal,
    keyboard: null,
  } as unknown as Context
  return { context, shown: () => printed.join('') }
}

describe('watch', () => {
  it('reports each change once until Ctrl-C, and that watching continues', async () => {
    const stop = new AbortController()
    const seen = [started, { ...started, detection: waiting }, { ...started, detection: waiting }]
    const { context, shown } = desk(
      {
        startTerminal: async () => started,
        async getTerminal() {
          const next = seen.shift()
          if (next) return next
          stop.abort()
          return { ...started, detection: waiting }
        },
      },
      stop,
    )
    expect(await watch({ args: ['/var/log/install.log'], flags: watchFlags }, context)).toBe(130)
    expect(shown()).toBe(
      [
        '# Terminal 1f0c3a7e follows /var/log/install.log. Ctrl-C closes this view.',
        'working',
        'waiting: Continue? [Y/n] (yes_no, 0.97)',
        '# Watching continues. To stop it: signalbox terminals stop 1f0c3a7e',
        '',
      ].join('\n'),
    )
  })

  it('ends when watching ends', async () => {
    const getTerminal = async () => ({ ...started, state: 'stopped' })
    const { context, shown } = desk({ startTerminal: async () => started, getTerminal })
    expect(await watch({ args: ['x.log'], flags: watchFlags }, context)).toBe(0)
    expect(shown()).toContain('working\nnot watched\n')
  })

  it('resolves the file from the current directory, and passes the options on', async () => {
    const bodies: unknown[] = []
    const startTerminal = async ({ body }: { body: unknown }) => {
      bodies.push(body)
      return started
    }
    const { context, shown } = desk({ startTerminal })
    const flags = { script: true, name: 'setup', 'from-start': true, detach: true }
    expect(await watch({ args: ['x.log'], flags }, context)).toBe(0)
    expect(bodies).toEqual([
      { sessionType: 'file', logFile: `${process.cwd()}/x.log`, typescript: true, filePosition: 0, name: 'setup' },
    ])
    expect(shown()).toContain('Terminal 1f0c3a7e-1111-4000-8000-000000000001 follows /var/log/install.log.\n')
  })
})

describe('catch-up', () => {
  const caught = {
    summary: '2 things happened.',
    cursor: 'c1',
    omitted: { low: 3, medium: 0, high: 0, critical: 0 },
    events: [
      {
        at: '2026-06-15T11:58:00.000Z',
        sessionId: id,
        severity: 'high',
        kind: 'error',
        text: 'build\u001b[2J failed',
        context: ['  at line 3'],
        times: 4,
        last: null,
        askId: null,
      },
      {
        at: '2026-06-15T11:59:00.000Z',
        sessionId: null,
        severity: 'critical',
        kind: 'ask',
        text: 'Run it',
        context: [],
        times: 1,
        last: null,
        askId: '0199c2d4-1111-7000-8000-000000000001',
      },
    ],
  }

  const ask = { id: '0199c2d4-1111-7000-8000-000000000001', status: 'open' }

  it('offers no answer for a closed ask', async () => {
    const [, one] = caught.events
    const { context, shown } = desk({
      catchUp: async () => ({ ...caught, events: [{ ...one, text: 'Rejected by Ann, permission: Write a.txt' }] }),
      listAsks: async () => ({ asks: [] }),
    })
    await catchUp({ args: [], flags: catchUpFlags }, context)
    expect(shown()).toContain('Rejected by Ann, permission: Write a.txt\n')
    expect(shown()).not.toContain('asks show')
  })

  it('refuses an invalid time, and names what --since accepts', async () => {
    const { context } = desk({ catchUp: async () => caught })
    const looked = catchUp({ args: [], flags: { ...catchUpFlags, since: 'yesterday' } }, context)
    await expect(looked).rejects.toMatchObject({ exit: 2, hint: expect.stringContaining('12h') })
  })

  it('prints what happened, how often, and how to continue', async () => {
    const { context, shown } = desk({ catchUp: async () => caught, listAsks: async () => ({ asks: [ask] }) })
    await catchUp({ args: [], flags: catchUpFlags }, context)
    expect(shown()).toBe(
      [
        '2 things happened.',
        '2m ago  1f0c3a7e  error  build failed (4 times)\n  │   at line 3',
        '1m ago  ask  Run it\n  Answer: signalbox asks show 0199c2d4-1111',
        '3 more left out: below --severity, or beyond --budget.\n',
      ].join('\n\n'),
    )
  })

  it('treats spans and dates as times, and everything else as a cursor', async () => {
    const queries: unknown[] = []
    const look = async ({ query }: { query: unknown }) => {
      queries.push(query)
      return caught
    }
    const { context } = desk({ catchUp: look, listAsks: async () => ({ asks: [] }) })
    for (const since of ['2h', '2026-01-31', '12.345;0a1b=0:9'])
      await catchUp({ args: [], flags: { ...catchUpFlags, since, budget: 500, severity: 'high' } }, context)
    const rest = { tokenBudget: 500, minSeverity: 'high' }
    expect(queries).toEqual([
      { since: '2026-06-15T10:00:00.000Z', ...rest },
      { since: '2026-01-31T00:00:00.000Z', ...rest },
      { since: '12.345;0a1b=0:9', ...rest },
    ])
  })
})
