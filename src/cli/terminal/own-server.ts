import { withTimeLimit } from '../../lib/time-limit.ts'
import type { ServerConnection, Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'

/** The server knows the program, there is no server, or why it refused. */
export type Registration = { kind: 'told' } | { kind: 'nobody' } | { kind: 'refused'; why: string }

const patienceMs = 3000

/** Tells the server of this data directory about a program in the keeper. The program runs in any case. */
export async function registerWithServer(context: Context, childId: string): Promise<Registration> {
  try {
    const { client } = await ownServer(context)
    const answer = await withTimeLimit(client.adoptTerminal({ body: { childId } }), patienceMs)
    return answer ? { kind: 'told' } : { kind: 'refused', why: 'The server did not answer.' }
  } catch (error) {
    if (error instanceof Failure && error.exit === exit.noServer) return { kind: 'nobody' }
    return { kind: 'refused', why: error instanceof Error ? error.message : String(error) }
  }
}

/** Programs run on this machine, so a remote server named by --url does not count. */
export async function ownServer(context: Context): Promise<ServerConnection> {
  if (context.url === undefined) return context.api()
  const { connect } = await import('../connect.ts')
  return connect({ url: undefined, token: undefined, dataDir: context.dataDir, config: context.config })
}
