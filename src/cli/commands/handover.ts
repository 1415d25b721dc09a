import type { Handler } from '../command.ts'
import { exit, wrongUsage } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { withIdleSessions } from '../idle-sessions.ts'
import { shortId } from '../ids.ts'
import { runSession } from '../live/run-session.ts'
import { readAll } from '../read-all.ts'
import type { handoverFlags } from '../table/agents.ts'
import { showStarted, withLogs } from './start.ts'

export const handover: Handler<typeof handoverFlags> = async ({ args: [text = '', ...words], flags }, context) => {
  if (flags.to === undefined)
    throw wrongUsage(
      'Say which agent takes over.',
      'signalbox handover SESSION --to AGENT. They are listed by: signalbox agents',
    )
  const connection = await context.api()
  const { client } = connection
  const id = await findSession(client, text)
  const said = words.join(' ') === '-' ? await readAll(process.stdin) : words.join(' ')
  const body = {
    agent: flags.to,
    ...(said.trim() !== '' && { prompt: said }),
    ...(flags.model !== undefined && { model: flags.model }),
    ...(flags.effort !== undefined && { effort: flags.effort }),
    ...(flags.tokens !== undefined && { tokens: flags.tokens }),
  }
  const session = await client.handOverSession({ params: { id }, body }).catch(async (error: unknown) => {
    throw await withIdleSessions(withLogs(error), client, context.now())
  })
  if (!context.json) context.out.note(`Session ${shortId(id)} continues as ${shortId(session.id)}, with ${flags.to}.`)
  if (flags.detach) {
    showStarted(context, session)
    return exit.ok
  }
  return runSession({ context, connection, session, takesPart: true, isNew: true })
}
