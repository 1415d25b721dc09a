import type { Client } from '../../client/client.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { Handler } from '../command.ts'
import { findSession } from '../find.ts'
import { shortId } from '../ids.ts'
import { show } from '../show.ts'
import type { reasonFlags, restartFlags } from '../table/work.ts'

type Move = (client: Client, id: Session['id'], reason: string | null) => Promise<Session>

const move =
  (act: Move): Handler<typeof reasonFlags> =>
  async ({ args: [text = ''], flags }, context) => {
    const { client } = await context.api()
    const moved = await act(client, await findSession(client, text), flags.reason ?? null)
    show(context, moved, ({ id, status }) => `Session ${shortId(id)} is now ${status}.`)
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
  const body = flags.prompt === undefined ? {} : { prompt: flags.prompt }
  const next = await client.restartSession({ params: { id }, body })
  show(context, next, (session) => `Session ${shortId(id)} goes on as ${session.id}, which is ${session.status}.`)
}
