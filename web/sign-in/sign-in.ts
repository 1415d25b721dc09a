import { keyedFetch } from '../api/keyed-fetch.ts'
import { canKeepKey, keepLoginKey, readLoginKey } from '../api/login-key.ts'
import { rememberReturnAddress, takeReturnAddress } from '../app/return-address.ts'
import { offerWays } from './ways.ts'

// The script of the pages that the server renders: sign-in and signed-out.

const part = (id: string): HTMLElement | null => document.getElementById(id)

function say(words: string, hint = ''): void {
  part('said')?.replaceChildren(words)
  part('hint')?.replaceChildren(hint)
}

const show = (id: string, shown = true): void => void part(id)?.toggleAttribute('hidden', !shown)

/** The person was asked whether to switch to another account. */
let isSure = false

async function signIn(code: string): Promise<void> {
  show('go', false)
  say('Signing in…')
  if (!(await canKeepKey())) {
    show('go')
    return say(
      'This browser stores no data for this page, so it can’t stay signed in.',
      'Allow storage for this page, or leave the private window. Your link still works.',
    )
  }
  // Keep the code out of the history. The link can still be tried again.
  history.replaceState(null, '', '/login')
  let response: Response
  try {
    response = await fetch('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, signedInAs: isSure ? null : ((await readLoginKey())?.userId ?? null) }),
    })
  } catch {
    show('go')
    return say('Can’t reach the server.', 'Check the connection, then try again.')
  }
  const body = await response.json().catch(() => null)
  if (!response.ok) return refused(body?.error)
  try {
    await keepLoginKey({ key: body.key, userId: body.userId })
  } catch {
    show('again')
    return say('This browser did not store the login key.', 'Free some space, then use a new link.')
  }
  location.replace(takeReturnAddress())
}

async function refused(fault: { code?: string; message?: string; hint?: string } | undefined): Promise<void> {
  say(fault?.message ?? 'The server refused this.', fault?.hint)
  if (fault?.code === 'login_link_of_another_person') {
    isSure = true
    show('go')
    return show('home')
  }
  part('said')?.classList.add('bad')
  const here = await keyedFetch('/api/me').catch(() => null)
  if (!here?.ok) {
    // The ways to a new link say it better than the hint for programs.
    say(fault?.message ?? 'The server refused this.', fault?.code === 'login_link_not_valid' ? '' : fault?.hint)
    return show('again')
  }
  say(fault?.message ?? '', 'This browser is already signed in.')
  show('home')
}

const card = part('sign-in')
const code = card?.dataset['code'] ?? ''
if (!card) rememberReturnAddress(location.pathname)
else if (card.dataset['when'] === 'at_once') void signIn(code)
else {
  say(
    'Another page or program opened this login link.',
    'Sign in only if you created the link yourself. Someone else’s link would sign you in as them.',
  )
  show('go')
}
part('go')?.addEventListener('click', () => void signIn(code))
offerWays()
