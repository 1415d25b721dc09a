import type { Client } from '../../client/client.ts'
import type { Session } from '../../domain/session/schema.ts'
import { cleanLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { wrongUsage } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { printResult } from '../print-result.ts'
import type { renameFlags } from '../table/work.ts'

export const rename: Handler<typeof renameFlags> = async ({ args: [text = '', ...words], flags }, context) => {
  const name = words.join(' ').trim()
  if ((name === '') !== flags.clear) throw wrongUsage('Give a name, or --clear.', 'signalbox sessions rename ID NAME')
  const { client } = await context.api()
  const id = await findSession(client, text)
  const renamed = await client.renameSession({ params: { id }, body: { name: name === '' ? null : name } })
  printResult(context, renamed, (session) =>
    session.name === null
      ? `Session ${shortId(id)} has no name now.`
      : `Session ${shortId(id)} is now called ${cleanLine(session.name)}.`,
  )
}

type Call = (client: Client, id: Session['id']) => Promise<Session>

const changed =
  (call: Call, words: string): Handler =>
  async ({ args: [text = ''] }, context) => {
    const { client } = await context.api()
    const session = await call(client, await findSession(client, text))
    printResult(context, session, ({ id }) => `Session ${shortId(id)} ${words}.`)
  }

const pin =
  (pinned: boolean): Call =>
  (client, id) =>
    client.pinSession({ params: { id }, body: { pinned } })
const archive =
  (archived: boolean): Call =>
  (client, id) =>
    client.archiveSession({ params: { id }, body: { archived } })

export const listing = {
  pin: changed(pin(true), 'is pinned'),
  unpin: changed(pin(false), 'is no longer pinned'),
  archive: changed(archive(true), 'is archived'),
  unarchive: changed(archive(false), 'is listed again'),
}
