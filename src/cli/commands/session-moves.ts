import type { Client } from '../../client/client.ts'
import { OperationalMode, type Session } from '../../domain/session/schema.ts'
import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { findCheckpoint } from './checkpoints.ts'
import { printResult } from '../print-result.ts'
import type { reasonFlags, restartFlags } from '../table/work.ts'

type MoveCall = (client: Client, id: Session['id'], reason: string | null) => Promise<Session>

const move =
  (act: MoveCall): Handler<typeof reasonFlags> =>
  async ({ args: [text = ''], flags }, context) => {
    const { client } = await context.api()
    const moved = await act(client, await findSession(client, text), flags.reason ?? null)
    printResult(context, moved, ({ id, status }) => `Session ${shortId(id)} is now ${status}.`)
  }

export const moves = {
  pause: move((client, id, reason) => client.pauseSession({ params: { id }, body: { reason } })),
  resume: move((client, id, reason) => client.resumeSession({ params: { id }, body: { reason } })),
  recover: move((client, id, reason) => client.recoverSession({ params: { id }, body: { reason } })),
  complete: move((client, id, reason) => client.completeSession({ params: { id }, body: { reason } })),
  cancel: move((client, id, reason) =>
    client.cancelSession({ params: { id }, ...(reason !== null && { query: { reason } }) }),
  ),
}

export const restartSession: Handler<typeof restartFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const body = {
    ...(flags.prompt !== undefined && { prompt: flags.prompt }),
    ...(flags.checkpoint !== undefined && { checkpointId: await findCheckpoint(client, flags.checkpoint) }),
  }
  const next = await client.restartSession({ params: { id }, body })
  printResult(context, next, (session) => {
    const then =
      session.protocolMode === 'mcp'
        ? `\nIts agent continues once it connects with: ${programName()} mcp --session ${session.id}`
        : ''
    return `Session ${shortId(id)} continues as ${session.id} (${session.status}).${then}`
  })
}

export const announce: Handler = async ({ args: [text = '', mode = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const session = await client.setOperationalMode({ params: { id }, body: { mode: OperationalMode.parse(mode) } })
  printResult(context, session, (now) => `Asks of session ${shortId(id)} are announced ${words[now.mode]}.`)
}

const words: Readonly<Record<OperationalMode, string>> = {
  remote: 'in chat and on the phone',
  local: 'locally only',
  hybrid: 'locally and in chat',
}
