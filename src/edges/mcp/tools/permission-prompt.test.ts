import { describe, expect, it } from 'vitest'
import type { Ask } from '../../../domain/ask/schema.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { CallAsk, ToolCall, AskResult } from '../calls/tool-call.ts'
import { permissionPrompt } from './permission-prompt.ts'

const answerOf = (answer: Ask['answer'], status: Ask['status'] = 'answered') =>
  ok({ ask: { status, answer, automatic: false, answeredBy: null } as Ask, pending: status === 'open' })

/** Calls the tool as Claude Code does; returns what was asked and what it was told. */
async function prompt(input: unknown, held: Result<AskResult>) {
  const asked: CallAsk[] = []
  const dispatched: unknown[] = []
  const call = {
    link: { actor: { kind: 'system', name: 'mcp' } },
    app: {
      dispatch: async (command: unknown) => dispatched.push(command),
      read: { ask: async () => ok({ status: 'cancelled', answer: null } as Ask) },
    },
    session: { workspaceRoot: '/nowhere/shop' },
    ask: async (ask: CallAsk) => {
      asked.push(ask)
      return held
    },
  }
  // Only the parts of a call that the tool uses.
  const tool = permissionPrompt({
    isOwn: (name) => name === 'ask_approval',
    lookAtFile: async (_root, path) => ({ real: path, exists: false, text: null }),
  })
  const result = await tool.run(input, call as unknown as ToolCall)
  return { asked, dispatched, told: result.ok ? result.value : result.fault }
}

const use = { tool_name: 'Bash', input: { command: 'npm test' }, tool_use_id: 'toolu_1' }
const approve = answerOf({ outcome: 'approve', always: false, reason: null })

describe('the Claude Code permission prompt', () => {
  it('asks about the command, and allows it with the same input', async () => {
    const { asked, told } = await prompt(use, approve)
    expect(asked).toMatchObject([
      { title: 'Run npm test', subject: { kind: 'command', command: 'npm test', cwd: '/nowhere/shop' } },
    ])
    expect(told).toEqual({ behavior: 'allow', updatedInput: { command: 'npm test' } })
  })

  it('passes on the reason of a denial', async () => {
    const { told } = await prompt(use, answerOf({ outcome: 'reject', reason: 'wrong branch' }))
    expect(told).toEqual({ behavior: 'deny', message: 'Rejected in Signalbox: wrong branch' })
  })

  it('is a denial and a withdrawn ask if nobody answered in time', async () => {
    const { told, dispatched } = await prompt(use, answerOf(null, 'open'))
    expect(dispatched).toMatchObject([{ type: 'ask.cancel' }])
    expect(told).toMatchObject({ behavior: 'deny' })
  })

  it.each(['expired', 'interrupted'] as const)('is a denial if it is %s', async (status) => {
    const { told } = await prompt(use, answerOf(null, status))
    expect(told).toMatchObject({ behavior: 'deny', message: expect.stringContaining('It was not done') })
  })

  it('is a denial with a reason if it can’t be asked', async () => {
    const message = 'The session has ended (cancelled).'
    const { told } = await prompt(use, fail({ kind: 'conflict', code: 'session_ended', message }))
    expect(told).toEqual({ behavior: 'deny', message })
  })

  it('shows a write as a diff', async () => {
    const input = { file_path: '/nowhere/shop/a.txt', content: 'x\n' }
    const { asked } = await prompt({ tool_name: 'Write', input }, approve)
    expect(asked).toMatchObject([{ title: 'Create a.txt', subject: { kind: 'diff', filePath: 'a.txt' } }])
  })

  it('does not ask about our own tools, which ask on their own', async () => {
    const { asked, told } = await prompt({ tool_name: 'mcp__signalbox__ask_approval', input: { title: 'x' } }, approve)
    expect(asked).toEqual([])
    expect(told).toEqual({ behavior: 'allow', updatedInput: { title: 'x' } })
  })

  it('accepts fields that later versions add', async () => {
    const { told } = await prompt({ ...use, later: true }, approve)
    expect(told).toMatchObject({ behavior: 'allow' })
  })
})
