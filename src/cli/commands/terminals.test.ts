import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../client/client.ts'
import type { Context } from '../context.ts'
import { plain } from '../output.ts'
import { answerTerminal, pressKeys } from './terminal-input.ts'
import { replay, search, showUpdates } from './terminal-recording.ts'
import { endTerminal, listTerminals, showTerminal } from './terminals.ts'

const id = '1f0c3a7e-1111-4000-8000-000000000001'
const detection = {
  waiting: true,
  state: 'waiting',
  promptId: 'p-1',
  promptText: 'Overwrite\u001b[8m all of\u001b[0m /srv? [y/N]',
  promptType: 'yes_no',
  confidence: 0.98,
  matchedPattern: '.',
  filePosition: 10,
  timestamp: '2026-06-15T12:00:00.000Z',
  isDangerous: true,
  dangerReason: 'overwrites /srv',
  decidedBy: 'terminal_mode',
  suggestedInputs: ['n', 'y'],
  choices: [{ key: 'n', label: 'no', selected: false, isDefault: true }],
  default: 'n',
  secret: false,
  evidence: [{ signal: 'kernel', says: 'waiting', detail: 'blocked in a read of the terminal' }],
}
const view = {
  sessionId: id,
  sessionType: 'script',
  state: 'active',
  name: 'restore',
  command: ['restore.sh', '--all'],
  host: null,
  user: null,
  cwd: '/srv',
  parentSessionId: null,
  cols: 80,
  rows: 24,
  logFile: '/data/terminals/x',
  startTime: '2026-06-15T11:58:00.000Z',
  exitCode: null,
  exitSignal: null,
  detection,
}
const answerFlags = { secret: false, expect: undefined, 'no-enter': false, yes: false }

type Desk = {
  now?: Partial<typeof detection>
  status?: string
  json?: boolean
  type?: string
  home?: string
  /** What is not confirmed. */
  refuses?: boolean
  /** What the person at the keyboard answers. */
  says?: string
}

const homes: string[] = []
afterAll(() => homes.forEach((home) => rmSync(home, { recursive: true })))
function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'sb-desk-'))
  homes.push(home)
  return home
}

/** A fake server with canned answers, and the requests it got. */
function desk(given: Desk = {}) {
  const sent: unknown[] = []
  const printed: string[] = []
  const present = { ...detection, ...given.now }
  const client = {
    listTerminals: async () => ({
      terminals: given.type === 'none' ? [] : [{ ...view, detection: present }],
      next: null,
    }),
    getTerminal: async () => ({ ...view, ...(given.type && { sessionType: given.type }), detection: present }),
    terminalDetection: async () => present,
    terminalScreen: async () => ({ screen: 'line \u001b[31mone\n\n\n', offset: 4, cols: 80, rows: 24 }),
    async terminalInput(input: { body: { confirmed?: boolean } }) {
      sent.push(input.body)
      if (given.refuses && input.body.confirmed !== true)
        throw new ApiError(409, { code: 'danger_not_confirmed', message: 'Nothing was typed.' })
      return { status: given.status ?? 'delivered', screenAfter: '$ \u001b[2Jdone\n' }
    },
    terminalUpdates: async () => ({ text: 'a\u001b[1mb\n', cursor: '0.7', epoch: 0, truncated: false, hasMore: false }),
    async searchTerminals(input: { query: unknown }) {
      sent.push(input.query)
      const match = { sessionId: id, line: '  EACCES: \u001b[1mopen', offset: 1, at: view.startTime }
      return { matches: [{ ...match, before: ['b'], after: ['a'] }], truncated: false, didYouMean: [] }
    },
  }
  async function* chunks() {
    yield Buffer.from('{"version":2}\n[0.1,"o","one\\u001b[2J\\r\\n"]\n[3600,"o","two\\r\\n"]\n')
  }
  const context = {
    json: given.json ?? false,
    out: {
      print: (text: string) => printed.push(`${text}\n`),
      async write(text: string) {
        printed.push(text)
      },
      note: (text: string) => printed.push(`# ${text}\n`),
      json: (value: unknown) => printed.push(JSON.stringify(value)),
      width: Number.POSITIVE_INFINITY,
      paint: plain,
    },
    now: () => Date.parse('2026-06-15T12:00:00.000Z'),
    api: async () => ({ client, stream: async () => ({ chunks: chunks() }) }),
    interrupted: () => new AbortController().signal,
    keyboard: given.says === undefined ? null : { ask: async () => ({ line: given.says, typed: '' }) },
    dataDir: given.home ?? newHome(),
  } as unknown as Context
  return { context, sent, shown: () => printed.join('') }
}

describe('terminals on the command line', () => {
  it('are listed with what each waits for', async () => {
    const { context, shown } = desk()
    await listTerminals({ args: [], flags: { all: false } }, context)
    expect(shown().split('\n')).toEqual([
      expect.stringMatching(/^ID +STATE +WHAT +ASKS +STARTED$/),
      '1f0c3a7e  waiting (dangerous)  restore: restore.sh --all  Overwrite\\x1b[8m all of\\x1b[0m /srv? [y/N]  2m ago',
      '',
      'Answer: signalbox terminals answer 1f0c3a7e TEXT',
      '',
    ])
  })

  it('are shown with screen, prompt, danger, choices and why', async () => {
    const { context, shown } = desk()
    await showTerminal({ args: ['restore'], flags: { explain: true } }, context)
    expect(shown()).toContain('│ line one\n\n')
    expect(shown()).toMatch(/Dangerous +overwrites \/srv\n/)
    expect(shown()).toMatch(/Sure +0\.98, by terminal mode\n/)
    expect(shown()).toContain('  n no (default)')
    expect(shown()).toContain('Why\n  kernel: waiting: blocked in a read of the terminal')
  })

  it('T9 are answered for the prompt that was shown last in this shell', async () => {
    const { context, sent, shown } = desk()
    const answered = () => answerTerminal({ args: ['1f0c', 'n'], flags: answerFlags }, context)
    await expect(answered()).rejects.toMatchObject({
      exit: 6,
      message: /its prompt was not shown here before: Overwrite/,
    })
    expect(sent).toEqual([])
    await answered()
    expect(sent).toEqual([{ text: 'n', expectPrompt: 'p-1', secret: false, pressEnter: true }])
    expect(shown()).toMatch(/^Delivered.\n│ \$ done\nIt asks now: Overwrite/)
  })

  it('refuse a late answer, and a secret on the command line', async () => {
    const late = desk({ status: 'refused_stale' })
    const answered = answerTerminal({ args: [id, 'n'], flags: { ...answerFlags, expect: 'p-1' } }, late.context)
    await expect(answered).rejects.toMatchObject({ exit: 6, code: 'refused_stale', message: /^Nothing was typed/ })
    const secret = answerTerminal({ args: [id, 'hunter2'], flags: { ...answerFlags, secret: true } }, late.context)
    await expect(secret).rejects.toMatchObject({ exit: 2, message: /can.t be given on the command line/ })
  })

  it('T9 get no answer to a question that came up after the one that was shown', async () => {
    const home = newHome()
    await showTerminal({ args: [id], flags: { explain: false } }, desk({ home }).context)
    const now = { promptId: 'p-2', promptText: 'Delete all customer data? [y/n]' }
    const { context, sent } = desk({ home, now })
    const answered = answerTerminal({ args: [id, 'y'], flags: answerFlags }, context)
    await expect(answered).rejects.toMatchObject({
      code: 'refused_stale',
      message: 'Nothing was typed: the prompt has changed: Delete all customer data? [y/n]',
      hint: expect.stringContaining('signalbox terminals answer 1f0c3a7e TEXT --expect p-2'),
    })
    expect(sent).toEqual([])
    await answerTerminal({ args: [id, 'y'], flags: { ...answerFlags, expect: 'p-2' } }, context)
    expect(sent).toMatchObject([{ text: 'y', expectPrompt: 'p-2' }])
  })

  it('T9 ask again at the keyboard before a dangerous prompt gets its answer', async () => {
    const home = newHome()
    const { context, sent, shown } = desk({ home, refuses: true, says: 'y' })
    await showTerminal({ args: [id], flags: { explain: false } }, context)
    await answerTerminal({ args: [id, 'y'], flags: answerFlags }, context)
    expect(sent).toMatchObject([{ expectPrompt: 'p-1' }, { expectPrompt: 'p-1', confirmed: true }])
    expect(shown()).toContain('# It asks: Overwrite\\x1b[8m all of\\x1b[0m /srv? [y/N]\nDangerous: overwrites /srv.')
    const not = desk({ home, refuses: true, says: 'n' })
    const answered = answerTerminal({ args: [id, 'y'], flags: answerFlags }, not.context)
    await expect(answered).rejects.toMatchObject({ code: 'not_confirmed' })
    expect(not.sent).toHaveLength(1)
  })

  it('accept a secret as an argument, and name the safer way', async () => {
    const { context, shown } = desk({ now: { secret: true } })
    await answerTerminal({ args: [id, 'hunter2'], flags: { ...answerFlags, expect: 'p-1' } }, context)
    expect(shown()).toContain('Next time: signalbox terminals answer 1f0c3a7e --secret')
  })

  it('that follow a log are stopped, not ended', async () => {
    const { context } = desk({ type: 'file' })
    const ended = endTerminal({ args: [id], flags: {} }, context)
    await expect(ended).rejects.toMatchObject({ exit: 6, hint: 'Stop watching: signalbox terminals stop 1f0c3a7e' })
  })

  it('point to ended ones if none is running', async () => {
    const { context, shown } = desk({ type: 'none' })
    await listTerminals({ args: [], flags: { all: false } }, context)
    expect(shown()).toContain('Ended terminals: signalbox terminals --all')
  })

  it('report that there is no prompt', async () => {
    const { context, sent } = desk({ now: { waiting: false, state: 'working', promptId: null as unknown as string } })
    const answered = answerTerminal({ args: [id, 'n'], flags: answerFlags }, context)
    await expect(answered).rejects.toMatchObject({ exit: 6, message: 'It is not waiting for input.' })
    expect(sent).toEqual([])
  })

  it('take keys', async () => {
    const { context, sent } = desk({ now: { promptType: 'choice' } })
    await showTerminal({ args: [id], flags: { explain: false } }, context)
    await pressKeys({ args: [id, 'down'], flags: { yes: false } }, context)
    await pressKeys({ args: [id, 'down', 'enter'], flags: { yes: true } }, context)
    expect(sent).toEqual([
      { keys: ['down'], pressEnter: true },
      { keys: ['down', 'enter'], pressEnter: true, expectPrompt: 'p-1', confirmed: true },
    ])
  })

  it('print clean output and the cursor to continue from', async () => {
    const { context, shown } = desk()
    await showUpdates({ args: [id], flags: { cursor: undefined, lines: undefined, follow: false } }, context)
    expect(shown()).toBe('ab\n# Later: signalbox terminals updates 1f0c3a7e --cursor 0.7\n')
  })

  it('are replayed as clean text without a terminal', async () => {
    const { context, shown } = desk()
    expect(await replay({ args: [id], flags: { speed: undefined, idle: undefined } }, context)).toBe(0)
    expect(shown()).toBe('one\ntwo\n')
    const wrong = replay({ args: [id], flags: { speed: '0', idle: undefined } }, context)
    await expect(wrong).rejects.toMatchObject({ exit: 2 })
  })

  it('are searched with context, indents kept', async () => {
    const { context, sent, shown } = desk()
    const none = { session: undefined, until: undefined, limit: undefined }
    await search({ args: ['EACCES'], flags: { ...none, regex: true, since: '1h', context: 1 } }, context)
    expect(sent).toEqual([{ q: 'EACCES', regex: true, since: '2026-06-15T11:00:00.000Z', contextLines: 1 }])
    expect(shown()).toBe('1f0c3a7e  2m ago\n  b\n>   EACCES: open\n  a\n')
  })
})
