import type { Context } from './context.ts'
import { exit } from './exit.ts'
import { Failure } from './failure.ts'

/** Whether a server answers for this data directory. */
export async function isRunning(context: Context): Promise<boolean> {
  try {
    const { client } = await context.api()
    await client.getStatus({})
    return true
  } catch (error) {
    return !(error instanceof Failure && error.exit === exit.noServer)
  }
}
