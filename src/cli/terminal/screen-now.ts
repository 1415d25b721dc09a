import { ownServer } from './own-server.ts'
import type { Context } from '../context.ts'

const clear = '\u001b[H\u001b[2J'

/** The sequence that paints the server's screen, and the byte to continue from; null if unknown. */
export async function screenNow(context: Context, session: string): Promise<{ first: string; from: number } | null> {
  try {
    const { client } = await ownServer(context)
    const { screen, offset } = await client.terminalScreen({ params: { id: session }, query: { format: 'ansi' } })
    return { first: `${clear}${screen}`, from: offset }
  } catch {
    return null
  }
}
