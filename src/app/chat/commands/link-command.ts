import { Identity } from '../../../domain/user/schema.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import { iso } from '../../../lib/clock.ts'
import { hashOfLinkCode, linkCodeMs, newLinkCode } from '../../../lib/link-code.ts'
import { createRateLimit } from '../../../lib/rate-limit.ts'
import type { Caller, ChatCommandsDeps, Said } from './call.ts'
import type { Callers } from './callers.ts'
import { oneLine, privately, refusal, type Reply } from './reply.ts'

const system: Actor = { kind: 'system', name: 'chat' }
/** Guesses of one sender. */
const mostGuesses = 5

/**
 * `link` offers a code to a person we know, to be entered where they are signed in. `link CODE` takes a code that they
 * made there; it proves who they are, so it is the only command that a stranger can use.
 */
export function createLink(deps: ChatCommandsDeps, { countStranger }: Pick<Callers, 'countStranger'>) {
  const { app, clock } = deps
  const guesses = createRateLimit({ clock, most: mostGuesses, perMs: linkCodeMs, countRefused: true })

  async function offered(said: Said): Promise<Reply> {
    const identity = Identity.safeParse(said.sender.identity)
    if (!identity.success) return privately('Accounts of this platform cannot be linked.')
    const code = newLinkCode()
    const expiresAt = iso(clock.now() + linkCodeMs)
    const command = {
      type: 'identity.offer' as const,
      identity: identity.data,
      codeHash: hashOfLinkCode(code),
      expiresAt,
    }
    const done = await app.dispatch(command, system)
    if (!done.ok) return refusal(done.fault)
    return privately(
      `Code: \`${code}\`\nEnter it in the dashboard within 10 minutes, or run: \`signalbox identities claim ${code}\`. This chat account then belongs to the person who enters it.`,
    )
  }

  async function claimed(said: Said, code: string, by: Caller | null): Promise<Reply> {
    const identity = Identity.safeParse(said.sender.identity)
    if (!identity.success || guesses.take(said.sender.identity) !== null)
      return by ? privately('Too many codes. Try again in 10 minutes.') : countStranger(said)
    const command = { type: 'identity.claim_from' as const, identity: identity.data, codeHash: hashOfLinkCode(code) }
    const done = await app.dispatch(command, system)
    // A wrong code proves nothing.
    if (!done.ok) return by ? refusal(done.fault) : countStranger(said)
    const userId = await app.read.holderOfIdentity(identity.data)
    const standing = userId && (await app.read.standing({ kind: 'person', userId, scope: 'read' }))
    const me = standing && (await app.read.me(standing))
    return privately(me?.ok ? `Linked. You are ${oneLine(me.value.displayName)} here.` : 'Linked.')
  }

  return (said: Said, code: string | undefined, by: Caller | null): Promise<Reply> => {
    if (code !== undefined) return claimed(said, code, by)
    return by ? offered(said) : countStranger(said)
  }
}
