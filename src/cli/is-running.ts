import type { Context } from './context.ts'
import { exit } from './exit.ts'
import { Failure } from './failure.ts'
import { ownServer } from './terminal/own-server.ts'

/** Whether a server is running for this data directory. */
export async function isRunning(context: Context): Promise<boolean> {
  try {
    // A remote server of --url has another data directory.
    const { client } = await ownServer(context)
    await client.getStatus({})
    return true
  } catch (error) {
    return !(error instanceof Failure && error.exit === exit.noServer)
  }
}
