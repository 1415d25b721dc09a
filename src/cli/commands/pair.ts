import { isLoopback } from '../../config/index.ts'
import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { coloured } from '../output.ts'
import { printResult } from '../print-result.ts'
import type { pairFlags } from '../table/server.ts'
import { relativeTime } from '../times.ts'

/** Fixed colours, so that cameras can read the code in any theme. */
const whiteOnBlack = (line: string): string => `\u001b[97;40m${line}\u001b[0m`

export const pair: Handler<typeof pairFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const { address } = await client.getStatus({})
  const reach = reachFromPhone(address)
  if (reach === 'no' && !flags.anyway)
    throw new Failure({
      exit: exit.failed,
      code: 'not_reachable',
      message: `${address}: ${reachText.no}`,
      hint: `${reachHint} To show the code anyway: --anyway`,
    })
  const link = await client.createLoginLink({ body: {} })
  if (context.json) return context.out.json({ ...link, address, reach })
  const { renderUnicodeCompact } = await import('uqr')
  const lines = renderUnicodeCompact(link.url, { border: 2 }).split('\n')
  const { out } = context
  if ((lines[0]?.length ?? 0) > out.width) out.note('Make the terminal wider to see the whole code.')
  const paint = out.paint === coloured ? whiteOnBlack : (line: string) => line
  printResult(context, link, ({ url }) => `${lines.map(paint).join('\n')}\n\n${url}`)
  const until = relativeTime(link.expiresAt, context.now())
  out.note(`Scan it with the phone's camera. It works once, until ${until}. Don't show it to anyone else.`)
  if (reach !== 'yes') out.note(`${reachText[reach]} ${reachHint}`)
}

/** Whether a phone can reach an address, and whether its browser can show notifications. */
type Reach = 'yes' | 'without_notifications' | 'no'

export function reachFromPhone(address: string): Reach {
  const { protocol, hostname } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isLoopback(host) || host.endsWith('.localhost')) return 'no'
  // Browsers allow service workers, and so notifications, only over TLS.
  return protocol === 'https:' ? 'yes' : 'without_notifications'
}

const reachText: Readonly<Record<Exclude<Reach, 'yes'>, string>> = {
  no: "This address works only on this machine: a phone can't reach it.",
  without_notifications: 'This address has no TLS: a phone shows the pages, but no notifications.',
}

const reachHint =
  'Put a TLS proxy or tunnel in front of it, and set its address as public_url under [http]: see docs/phone.md.'
