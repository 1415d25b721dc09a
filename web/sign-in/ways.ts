import { encode } from 'uqr'
import { canKeepKey, keepLoginKey } from '../api/login-key.ts'
import { canUsePasskeys, isCancelled, signWithPasskey } from '../api/passkeys.ts'
import { takeReturnAddress } from '../app/return-address.ts'
import { qrPath } from '../ui/qr-path.ts'

// Signing in without a link: with a passkey, or let in by another device.

const part = (id: string): HTMLElement | null => document.getElementById(id)
const show = (id: string, shown = true): void => void part(id)?.toggleAttribute('hidden', !shown)
const say = (words: string): void => part('way-said')?.replaceChildren(words)

type Fault = { message?: string; hint?: string }
type Reply = Record<string, unknown> & { error?: Fault }

/** Null if it was refused, which the page then says. */
async function call(path: string, body: object = {}): Promise<Reply | null> {
  let reply: Reply
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    reply = (await response.json()) as Reply
    if (response.ok) return reply
  } catch {
    say('Can’t reach the server. Check the connection, then try again.')
    return null
  }
  say([reply.error?.message ?? 'The server refused this.', reply.error?.hint ?? ''].join(' '))
  return null
}

async function enter({ key, userId }: Reply): Promise<void> {
  try {
    await keepLoginKey({ key: String(key), userId: String(userId) })
  } catch {
    return say('This browser did not store the login key. Free some space, then try again.')
  }
  location.replace(takeReturnAddress())
}

async function mayStay(): Promise<boolean> {
  if (await canKeepKey()) return true
  say('This browser stores no data for this page, so it can’t stay signed in.')
  return false
}

async function withPasskey(): Promise<void> {
  say('')
  if (!(await mayStay())) return
  const asked = await call('/login/passkey/challenge')
  if (!asked) return
  try {
    const answer = await signWithPasskey({ challenge: String(asked['challenge']), rpId: String(asked['rpId']) })
    say('Signing in…')
    const login = await call('/login/passkey', answer)
    if (login) await enter(login)
  } catch (error) {
    say(isCancelled(error) ? 'Not signed in: no passkey was used.' : `The passkey did not work: ${String(error)}`)
  }
}

/** How often the server is asked whether the other device has answered. */
const everyMs = 2000

async function withDevice(): Promise<void> {
  say('')
  if (!(await mayStay())) return
  const asked = await call('/login/device')
  if (!asked) return
  show('device', false)
  show('device-card')
  part('device-code')?.replaceChildren(String(asked['code']))
  part('device-qr')?.replaceChildren(codeFor(`${location.origin}/settings/sign-in`))
  say('Waiting for the other device…')
  await waitFor(String(asked['secret']), Date.parse(String(asked['expiresAt'])))
}

async function waitFor(secret: string, until: number): Promise<void> {
  let state: unknown = 'waiting'
  while (state === 'waiting' && Date.now() < until + everyMs) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    const told = await call('/login/device/wait', { secret }).catch(() => null)
    if (told?.['key'] !== undefined) return enter(told)
    // A lost connection comes back.
    if (told !== null) ({ state } = told)
  }
  show('device')
  show('device-card', false)
  say(state === 'denied' ? 'The other device refused.' : 'The code has expired. Show a new one.')
}

/** The way to the page on the other device. Not the code: whoever lets a device in reads it from that device. */
function codeFor(address: string): SVGElement {
  const { path, side } = qrPath(encode(address, { border: 0 }))
  const svg = 'http://www.w3.org/2000/svg'
  const drawn = document.createElementNS(svg, 'svg')
  drawn.setAttribute('viewBox', `0 0 ${side} ${side}`)
  drawn.setAttribute('role', 'img')
  drawn.setAttribute('aria-label', 'The page to open on the other device, as a QR code')
  const [ground, dark] = [document.createElementNS(svg, 'rect'), document.createElementNS(svg, 'path')]
  for (const name of ['width', 'height']) ground.setAttribute(name, String(side))
  ground.setAttribute('fill', '#fff')
  dark.setAttribute('d', path)
  drawn.append(ground, dark)
  return drawn
}

/** Shows the ways that this browser and this server have. */
export function offerWays(): void {
  if (!part('ways')) return
  show('ways')
  show('passkey', canUsePasskeys())
  part('passkey')?.addEventListener('click', () => void withPasskey())
  part('device')?.addEventListener('click', () => void withDevice())
}
