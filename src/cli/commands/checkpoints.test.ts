import { describe, expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { plain } from '../output.ts'
import { createCheckpoint, listCheckpoints, restoreCheckpoint } from './checkpoints.ts'

const id = '0199c2d4-1111-7000-8000-000000000001'
const sessionId = '1f0c3a7e-1111-4000-8000-000000000001'
const checkpoint = {
  id,
  sessionId,
  label: 'before \u001b[2Jit',
  reason: 'tool',
  fileCount: 3,
  notKept: { count: 1, files: [{ path: 'pipe\n', why: 'is a pipe, socket or device' }] },
  createdAt: '2026-06-15T11:59:00.000Z',
}
const paths = (...list: string[]) => ({ count: list.length, paths: list })
const differs = { modified: paths('src/a.ts'), deleted: paths(), added: paths('new\u001b[2J') }
const same = { modified: paths(), deleted: paths(), added: paths() }
const done = {
  confirmed: true,
  checkpoint,
  before: { ...checkpoint, id: '0199c2d5-1111-7000-8000-000000000001' },
  restored: paths('src/a.ts'),
  recreated: paths(),
  kept: paths('new'),
  removed: paths(),
  failed: [] as { path: string; why: string }[],
  resume: { restartOf: '1f0c3a7e-1111-4000-8000-000000000001' },
}

type Sent = { confirm: boolean; removeNew: boolean }

/** A fake server with canned answers, and the requests it got. */
function desk(given: { diverged?: typeof differs; answer?: string | null; json?: boolean; done?: typeof done } = {}) {
  const sent: Sent[] = []
  const printed: string[] = []
  const questions: string[] = []
  const client = {
    listCheckpoints: async () => ({ checkpoints: [checkpoint] }),
    allCheckpoints: async () => ({ checkpoints: [checkpoint], next: null }),
    createCheckpoint: async () => checkpoint,
    async restoreCheckpoint({ body }: { body: Sent }) {
      sent.push(body)
      return body.confirm ? (given.done ?? done) : { confirmed: false, checkpoint, diverged: given.diverged ?? differs }
    },
  }
  const context = {
    json: given.json ?? false,
    out: {
      print: (text: string) => printed.push(text),
      json: (value: unknown) => printed.push(JSON.stringify(value)),
      width: 100,
      paint: plain,
    },
    now: () => Date.parse('2026-06-15T12:00:00.000Z'),
    api: async () => ({ client }),
    interrupted: () => new AbortController().signal,
    keyboard:
      given.answer === undefined
        ? null
        : {
            async ask(question: string) {
              questions.push(question)
              return { line: given.answer ?? null, typed: '' }
            },
          },
  } as unknown as Context
  const restore = (flags: Partial<{ yes: boolean; 'remove-new': boolean }> = {}) =>
    restoreCheckpoint({ args: [id], flags: { yes: false, 'remove-new': false, ...flags } }, context)
  return { context, sent, questions, restore, shown: () => printed.join('\n') }
}

describe('checkpoints on the command line', () => {
  it('are listed with the reason they were made', async () => {
    const { context, shown } = desk()
    await listCheckpoints({ args: [sessionId], flags: {} }, context)
    expect(shown().split('\n')).toEqual([
      expect.stringMatching(/^ID +LABEL +MADE +FILES +NOT SAVED +WHEN$/),
      expect.stringMatching(/^0199c2d4 +before it +by the agent +3 +1 +1m ago$/),
    ])
  })

  it('report files that could not be saved', async () => {
    const { context, shown } = desk()
    await createCheckpoint({ args: [sessionId], flags: { label: undefined } }, context)
    expect(shown()).toContain('3 files saved as checkpoint 0199c2d4-1111.\n1 file could not be saved:\n  pipe')
  })
})

describe('restore on the command line', () => {
  it('lists differences, asks, and restores on yes', async () => {
    const { restore, sent, questions, shown } = desk({ answer: 'y' })
    expect(await restore()).toBe(0)
    expect(sent).toEqual([
      { confirm: false, removeNew: false },
      { confirm: true, removeNew: false },
    ])
    expect(questions).toHaveLength(1)
    expect(shown()).toContain('Changed since, restored (1):\n  src/a.ts')
    expect(shown()).toContain('To undo this: signalbox restore 0199c2d5-1111')
    expect(shown()).not.toContain('\u001b')
  })

  it.each(['n', '', 'yeah no', null])('changes nothing on %j', async (answer) => {
    const { restore, sent } = desk({ answer })
    await expect(restore()).rejects.toMatchObject({ code: 'not_confirmed', exit: 1 })
    expect(sent).toEqual([{ confirm: false, removeNew: false }])
  })

  it('changes nothing without a terminal, and says how to confirm', async () => {
    const { restore, sent } = desk()
    await expect(restore()).rejects.toMatchObject({ exit: 2, hint: expect.stringContaining('--yes') })
    expect(sent).toHaveLength(1)
  })

  it('does not ask with --yes', async () => {
    const { restore, sent } = desk()
    expect(await restore({ yes: true, 'remove-new': true })).toBe(0)
    expect(sent).toEqual([{ confirm: true, removeNew: true }])
  })

  it('does nothing if nothing differs', async () => {
    const { restore, sent, shown } = desk({ diverged: same, answer: 'y' })
    await restore()
    expect([sent.length, shown()]).toEqual([1, expect.stringContaining('Nothing has changed')])
  })

  it('exits with 1 if a file could not be restored', async () => {
    const { restore, shown } = desk({ done: { ...done, failed: [{ path: 'a', why: 'No.' }] } })
    expect(await restore({ yes: true })).toBe(1)
    expect(shown()).toContain('Could not be restored:\n  a  No.')
  })

  it('prints the response as JSON, and does not ask programs', async () => {
    const { restore, sent, shown } = desk({ json: true, answer: 'y' })
    await restore()
    expect([sent.length, JSON.parse(shown()).confirmed]).toEqual([1, false])
  })
})
