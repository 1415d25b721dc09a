import { ownServer } from './register-terminal.ts'
import type { TerminalContext } from '../context.ts'

const clear = '\u001b[H\u001b[2J'

/**
 * The sequence that paints the server's screen, and the byte to continue from; null if unknown. `above`: with the lines
 * that scrolled out, so that a person can scroll back to them, search and copy with their own terminal.
 */
export async function screenNow(
  context: TerminalContext,
  session: string,
  { above = false } = {},
): Promise<{ first: string; from: number } | null> {
  try {
    const { client } = await ownServer(context)
    const { screen, offset } = await client.terminalScreen({
      params: { id: session },
      query: { format: above ? 'scrollback' : 'ansi' },
    })
    return { first: `${clear}${screen}`, from: offset }
  } catch {
    return null
  }
}
