import { RequestError, methods, type ClientApp } from '@agentclientprotocol/sdk'
import { createTwoFilesPatch } from 'diff'
import type { Ask } from '../../../domain/ask/schema.ts'
import type { Fault } from '../../../lib/result.ts'
import { sha256 } from '../../../lib/secret.ts'
import { system } from '../actor.ts'
import { askDefaults, type AskForCall, type CallDeps } from './ask-for-call.ts'

/** fs/read_text_file and fs/write_text_file, inside the workspace. Writes need approval. */
export function mountFileCalls(app: ClientApp, deps: CallDeps, askForCall: AskForCall): void {
  const { files, approvals } = deps

  app.onRequest(methods.client.fs.readTextFile, async ({ params }) => {
    const { line, limit } = params
    const read = await files.readText(params.path, {
      ...(typeof line === 'number' && { line }),
      ...(typeof limit === 'number' && { limit }),
    })
    if (read.ok) return { content: read.value.text }
    if (read.fault.code === 'file_not_found' && deps.missingFileIsEmpty) return { content: '' }
    throw refusal(read.fault)
  })

  app.onRequest(methods.client.fs.writeTextFile, async ({ params, requestId, signal }) => {
    const { path, content } = params
    // Refuse before asking anyone.
    const located = await files.mayWrite(path)
    if (!located.ok) throw refusal(located.fault)
    if (await approvals.coversWrite(path, content)) return write(path, content)
    const before = located.value.exists ? await files.readText(path) : null
    if (before && !before.ok) throw refusal(before.fault)
    const hash = await files.hash(path)
    if (!hash.ok) throw refusal(hash.fault)
    const ask = await askForCall(
      requestId,
      {
        ...askDefaults,
        title: `Write ${path}`,
        subject: {
          kind: 'diff',
          filePath: path,
          diff: createTwoFilesPatch(path, path, before?.value.text ?? '', content),
          files: [{ path, hash: hash.value }],
        },
      },
      signal,
    )
    return approvedWrite(ask, path, content)
  })

  async function write(path: string, content: string): Promise<object> {
    const written = await files.writeText(path, content)
    if (!written.ok) throw refusal(written.fault)
    return {}
  }

  /** The steps of any approved diff: claim, write, consume. Repeating it does nothing. */
  async function approvedWrite(ask: Ask, path: string, content: string): Promise<object> {
    if (ask.status === 'consumed') return {}
    const approved = ask.answer?.outcome === 'approve'
    if (!approved || (ask.status !== 'answered' && ask.status !== 'applying'))
      throw new RequestError(-32000, `The write was ${ask.status === 'answered' ? 'rejected' : ask.status}.`)
    const { app } = deps.shared
    const giveUp = async (fault: Fault): Promise<never> => {
      await app.dispatch({ type: 'ask.fail', id: ask.id, reason: fault.message }, system)
      throw refusal(fault)
    }
    if (ask.status === 'answered') {
      const claimed = await app.dispatch({ type: 'ask.claim', id: ask.id }, system)
      if (!claimed.ok && claimed.fault.code === 'already_consumed') return {}
      if (!claimed.ok) throw refusal(claimed.fault)
    }
    const now = await files.hash(path)
    if (!now.ok) return giveUp(now.fault)
    // An earlier server may have written it already.
    const isDone = ask.status === 'applying' && now.value === sha256(content)
    if (!isDone && now.value !== hashAsked(ask, path)) return giveUp(changedMeanwhile(path))
    await approvals.approve(ask.id, ask.id, {
      type: 'tool',
      tool: 'write',
      args: {},
      kind: 'edit',
      content: [{ type: 'diff', path, oldText: null, newText: content }],
    })
    const written = isDone ? now : await files.writeText(path, content)
    if (!written.ok) return giveUp(written.fault)
    await app.dispatch({ type: 'ask.consume', id: ask.id }, system)
    return {}
  }
}

const hashAsked = ({ subject }: Ask, path: string): string | undefined =>
  subject.kind === 'diff' ? subject.files.find((file) => file.path === path)?.hash : undefined

const changedMeanwhile = (path: string): Fault => ({
  kind: 'conflict',
  code: 'file_changed',
  message: `${path} has changed since the write was asked for, so nothing was written. Read it again and ask again.`,
})

/** The fault as a JSON-RPC error code. */
function refusal(fault: Fault): RequestError {
  if (fault.kind === 'not_found') return new RequestError(-32002, fault.message, { code: fault.code })
  return new RequestError(fault.kind === 'unavailable' ? -32603 : -32602, fault.message, { code: fault.code })
}
