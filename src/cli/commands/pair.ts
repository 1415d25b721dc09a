import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { isLoopback } from '../../config/index.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import { coloured } from '../output.ts'
import { checkAddress } from '../pair/check-address.ts'
import { lookAround } from '../pair/look-around.ts'
import { ownCertificate } from '../pair/own-certificate.ts'
import { waysFrom, type Way } from '../pair/ways.ts'
import { programName } from '../program-name.ts'
import { printResult } from '../print-result.ts'
import type { pairFlags } from '../table/server.ts'
import { relativeTime } from '../times.ts'

/** Fixed colours, so that cameras can read the code in any theme. */
const whiteOnBlack = (line: string): string => `\u001b[97;40m${line}\u001b[0m`

export const pair: Handler<typeof pairFlags> = async ({ flags }, context) => {
  if (flags.lan !== undefined) return pairInNetwork(flags.lan, context)
  const { client } = await context.api()
  const { address } = await client.getStatus({})
  const reach = reachFromPhone(address)
  if (reach === 'no' && !flags.anyway) {
    const ways = context.json || context.url !== undefined ? [] : await waysHere(address, context)
    if (ways.length > 0) context.out.print(ways.map(wayText).join('\n\n'))
    throw new Failure({
      exit: exit.failed,
      code: 'not_reachable',
      message: `${address}: ${reachText.no}`,
      hint: `${reachHint} To show the code anyway: --anyway`,
    })
  }
  const link = await client.createLoginLink({ body: {} })
  const check = reach === 'yes' ? await checkAddress(address, authorityOf(context)) : null
  if (context.json) return context.out.json({ ...link, address, reach, check })
  const { renderUnicodeCompact } = await import('uqr')
  const lines = renderUnicodeCompact(link.url, { border: 2 }).split('\n')
  const { out } = context
  if ((lines[0]?.length ?? 0) > out.width) out.note('Make the terminal wider to see the whole code.')
  const paint = out.paint === coloured ? whiteOnBlack : (line: string) => line
  printResult(context, link, ({ url }) => `${lines.map(paint).join('\n')}\n\n${url}`)
  const until = relativeTime(link.expiresAt, context.now())
  out.note(`Scan it with the phone's camera. It works once, until ${until}. Don't show it to anyone else.`)
  if (check !== null) out.note(`Checked from this machine: ${check.says}`)
  if (reach !== 'yes') out.note(`${reachText[reach]} ${reachHint}`)
}

const tlsFolder = ({ dataDir }: Context): string => join(dataDir, 'tls')

/** The authority of `--lan`, if it was made. */
const authorityOf = (context: Context): string | null => {
  const path = join(tlsFolder(context), 'authority.pem')
  return existsSync(path) ? path : null
}

async function waysHere(address: string, context: Context): Promise<Way[]> {
  const port = Number(new URL(address).port) || 80
  return waysFrom(await lookAround(port, context.env), programName())
}

function wayText({ title, ready, about, steps, config }: Way): string {
  const lines = config?.trimEnd().split('\n') ?? []
  const numbered = steps.flatMap((step, index) => [
    `  ${index + 1}. ${step}`,
    ...(step.startsWith('Put these lines') ? lines.map((line) => `       ${line}`) : []),
  ])
  return [`${ready ? '✓' : '·'} ${title}`, `  ${about}`, ...numbered].join('\n')
}

/** A certificate for the local network: what to configure, and what the phone has to trust. */
async function pairInNetwork(host: string, context: Context): Promise<void> {
  const made = await ownCertificate(tlsFolder(context), host, context.env)
  const port = await portHere(context)
  const name = isIP(host) === 6 ? `[${host}]` : host
  const address = `https://${name}:${port}`
  const config = [
    '[http]',
    `host = "${isIP(host) === 0 ? '0.0.0.0' : host}"`,
    `public_url = "${address}"`,
    `tls_cert = ${JSON.stringify(made.cert)}`,
    `tls_key = ${JSON.stringify(made.key)}`,
  ].join('\n')
  printResult(context, { ...made, address, config }, () =>
    [
      `A certificate for ${host}, from an authority that exists only on this machine.`,
      '',
      '1. Put these lines into config.toml (under [http], if it is there), and restart the server:',
      ...config.split('\n').map((line) => `     ${line}`),
      `2. Send ${made.authority} to the phone, and open it there.`,
      '   iPhone: install the profile, then turn it on under Settings, General, About, Certificate Trust Settings.',
      '   Android: Settings, Security, Encryption & credentials, Install a certificate, CA certificate.',
      `   Compare its SHA-256 fingerprint: ${made.fingerprint}`,
      `3. Run: ${programName()} pair`,
      ...(made.isNew ? [] : ['', 'The authority is the one made before: phones that trust it need nothing new.']),
    ].join('\n'),
  )
  if (!context.json)
    context.out.note(
      `Anyone who has ${join(tlsFolder(context), 'authority.key')} can pretend to be any site to that phone. It stays here.`,
    )
}

const usualPort = 3000

/** Of the running server. */
async function portHere(context: Context): Promise<number> {
  const running = await context.api().then(
    ({ client }) => client.getStatus({}),
    () => null,
  )
  return running === null ? usualPort : Number(new URL(running.address).port) || usualPort
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
