import { ownServer } from './own-server.ts'
import type { Context } from '../context.ts'

const clear = '\u001b[H\u001b[2J'

/** What paints the screen as the server sees it, and the byte of the output from which to go on; null where nobody knows. */
export async function screenNow(context: Context, session: string): Promise<{ first: string; from: number } | null> {
  try {
    const { client } = await ownServer(context)
    const { screen, offset } = await client.terminalScreen({ params: { id: session }, query: { format: 'ansi' } })
    return { first: `${clear}${screen}`, from: offset }
  } catch {
    return null
  }
}
