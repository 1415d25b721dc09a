import { methods, type ClientApp } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import type { Ask, AskStatus } from '../../../domain/ask/schema.ts'
import { fail, ok } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import type { CallDeps } from './ask-for-call.ts'
import { mountFileCalls } from './file-calls.ts'

type World = { onDisk: string; atAsk?: string; status?: AskStatus; claim?: string }

/** A write of `new` that was approved when the file held `atAsk`. */
async function approvedWrite({ onDisk, atAsk = onDisk, status = 'answered', claim }: World) {
  const dispatched: string[] = []
  let disk = onDisk
  const handlers = new Map<string, (call: object) => Promise<unknown>>()
  const app = { onRequest: (method: string, handle: never) => void handlers.set(method, handle) }
  const files = {
    mayWrite: async (path: string) => ok({ path, exists: true }),
    readText: async () => ok({ text: disk }),
    hash: async () => ok(sha256(disk)),
    async writeText(_path: string, content: string) {
      dispatched.push('written')
      disk = content
      return ok({})
    },
  }
  const dispatch = async ({ type }: { type: string }) => {
    dispatched.push(type)
    return type === 'ask.claim' && claim !== undefined
      ? fail({ kind: 'conflict', code: claim, message: `It is ${claim}.` })
      : ok({})
  }
  const approvals = { coversWrite: async () => false, approve: async () => void dispatched.push('kept') }
  const deps = { files, approvals, shared: { app: { dispatch } } } as unknown as CallDeps
  const subject = { kind: 'diff', filePath: '/w/a', diff: '', files: [{ path: '/w/a', hash: sha256(atAsk) }] }
  const ask = { id: 'ask', status, subject, answer: { outcome: 'approve' } } as unknown as Ask
  mountFileCalls(app as unknown as ClientApp, deps, async () => ask)
  const write = handlers.get(methods.client.fs.writeTextFile)
  const answer = await write?.({ params: { path: '/w/a', content: 'new' }, requestId: 1 }).catch(String)
  return { answer, dispatched, disk }
}

describe('an approved write', () => {
  it('is claimed, kept, written and consumed, in this order', async () => {
    expect(await approvedWrite({ onDisk: 'old' })).toEqual({
      answer: {},
      dispatched: ['ask.claim', 'kept', 'written', 'ask.consume'],
      disk: 'new',
    })
  })

  it.each<AskStatus>(['answered', 'applying'])('of a file that has changed since fails (%s)', async (status) => {
    const { answer, dispatched, disk } = await approvedWrite({ onDisk: 'theirs', atAsk: 'old', status })
    expect(answer).toMatch(/changed since the write was asked for/)
    expect(dispatched.filter((one) => one !== 'ask.claim')).toEqual(['ask.fail'])
    expect(disk).toBe('theirs')
  })

  it('that someone else has claimed is left to them', async () => {
    const { answer, dispatched } = await approvedWrite({ onDisk: 'old', claim: 'not_approved' })
    expect([answer, dispatched]).toEqual([expect.stringContaining('It is not_approved'), ['ask.claim']])
  })

  it('that an earlier server has done is not repeated', async () => {
    const consumed = await approvedWrite({ onDisk: 'new', atAsk: 'old', claim: 'already_consumed' })
    expect([consumed.answer, consumed.dispatched]).toEqual([{}, ['ask.claim']])
    const written = await approvedWrite({ onDisk: 'new', atAsk: 'old', status: 'applying' })
    expect([written.answer, written.dispatched]).toEqual([{}, ['kept', 'ask.consume']])
    const begun = await approvedWrite({ onDisk: 'old', status: 'applying' })
    expect([begun.answer, begun.dispatched]).toEqual([{}, ['kept', 'written', 'ask.consume']])
  })
})
