import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import type { UserId } from '../user/id.ts'
import type { AccessChange } from '../user/schema.ts'
import type { PasskeyId } from './id.ts'
import type { DeviceOutcome, SignInChange, SignInCommand } from './schema.ts'

export type SignInState = {
  now: string
  /** The person the command names. */
  user: { id: UserId; removed: boolean; passkeys: number } | undefined
  passkey: { id: PasskeyId; userId: UserId; removed: boolean; ofRemoved: boolean; signCount: number } | undefined
  challenge: { userId: UserId | null; expired: boolean; used: boolean } | undefined
  device:
    | {
        expired: boolean
        used: boolean
        outcome: DeviceOutcome | null
        userId: UserId | null
        ofRemoved: boolean
        address: string
        browser: string
      }
    | undefined
}

/** More than anybody needs, so that nobody fills the table. */
const mostPasskeys = 50

export function decideSignIn(
  state: SignInState,
  command: SignInCommand,
): Result<(SignInChange | Extract<AccessChange, { type: 'login.started' }>)[]> {
  const { passkey, device } = state
  switch (command.type) {
    case 'passkey.begin': {
      if (!state.user || state.user.removed) return notFound('user', command.userId)
      if (state.user.passkeys >= mostPasskeys) return tooMany()
      return ok([challenged(command.userId, command)])
    }
    case 'passkey.challenge':
      return ok([challenged(null, command)])
    case 'passkey.add': {
      if (!state.user || state.user.removed) return notFound('user', command.userId)
      if (!isGood(state, command.userId)) return badChallenge()
      if (passkey) return fail({ kind: 'conflict', code: 'passkey_exists', message: 'This passkey was added before.' })
      if (state.user.passkeys >= mostPasskeys) return tooMany()
      const { id, userId, origin, name, credentialId, publicKey, signCount, challengeHash } = command
      const body = { name, credentialId, publicKey, signCount, challengeHash }
      return ok([{ type: 'passkey.added', data: { id, userId, origin }, body }])
    }
    case 'passkey.rename':
      if (!passkey || passkey.removed) return notFound('passkey', command.id)
      return ok([
        { type: 'passkey.renamed', data: { id: command.id, userId: passkey.userId }, body: { name: command.name } },
      ])
    case 'passkey.remove':
      if (!passkey) return notFound('passkey', command.id)
      return ok(passkey.removed ? [] : [{ type: 'passkey.removed', data: { id: command.id, userId: passkey.userId } }])
    case 'passkey.sign_in': {
      if (!isGood(state, null)) return badChallenge()
      if (!passkey || passkey.removed || passkey.ofRemoved) return unknownPasskey()
      const { signCount, challengeHash } = command
      // An authenticator that counts never goes back; one that does was copied.
      if ((signCount > 0 || passkey.signCount > 0) && signCount <= passkey.signCount)
        return fail({
          kind: 'forbidden',
          code: 'passkey_copied',
          message: 'This passkey was used somewhere else in the meantime, so it may be a copy.',
          hint: 'Sign in another way (signalbox login), then remove it under Settings, Sign-in.',
        })
      const { id, userId } = passkey
      return ok([
        { type: 'passkey.used', data: { id, userId }, body: { signCount, challengeHash } },
        started(userId, command),
      ])
    }
    case 'device.ask': {
      const { address, browser, expiresAt, requestHash, codeHash } = command
      if (device) return fail({ kind: 'conflict', code: 'code_taken', message: 'This code is in use. Try again.' })
      return ok([{ type: 'device.asked', data: { address, browser, expiresAt }, body: { requestHash, codeHash } }])
    }
    case 'device.answer': {
      if (!device || device.expired || device.outcome !== null) return noSuchDevice()
      const { userId, outcome, codeHash } = command
      const { address, browser } = device
      return ok([{ type: 'device.answered', data: { userId, outcome, address, browser }, body: { codeHash } }])
    }
    case 'device.sign_in': {
      const isLet = device?.outcome === 'approved' && !device.expired && !device.used && !device.ofRemoved
      if (!isLet || device.userId === null) return noSuchDevice()
      const { userId } = device
      return ok([
        { type: 'device.used', data: { userId }, body: { requestHash: command.requestHash } },
        started(userId, command),
      ])
    }
    default:
      return command satisfies never
  }
}

const challenged = (
  userId: UserId | null,
  { challengeHash, expiresAt }: { challengeHash: string; expiresAt: string },
): SignInChange => ({ type: 'passkey.challenged', data: { userId, expiresAt }, body: { challengeHash } })

const isGood = ({ challenge }: SignInState, userId: UserId | null): boolean =>
  challenge !== undefined && !challenge.expired && !challenge.used && challenge.userId === userId

const started = (
  userId: UserId,
  { cookieHash, keyHash, expiresAt }: { cookieHash: string; keyHash: string; expiresAt: string },
): Extract<AccessChange, { type: 'login.started' }> => ({
  type: 'login.started',
  data: { userId, expiresAt },
  body: { linkHash: null, cookieHash, keyHash },
})

const badChallenge = (): Failed =>
  fail({
    kind: 'forbidden',
    code: 'passkey_challenge_not_valid',
    message: 'This took too long, or was done before.',
    hint: 'Try again.',
  })

/** Says the same of a passkey that never was, one that was removed, and one of a removed person. */
const unknownPasskey = (): Failed =>
  fail({
    kind: 'forbidden',
    code: 'passkey_not_valid',
    message: 'This passkey does not sign in here.',
    hint: 'Sign in another way (signalbox login), then add a passkey under Settings, Sign-in.',
  })

const tooMany = (): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_passkeys',
    message: `You have ${mostPasskeys} passkeys.`,
    hint: 'Remove one.',
  })

export const noSuchDevice = (): Failed =>
  fail({
    kind: 'forbidden',
    code: 'device_code_not_valid',
    message: 'This code is wrong, was used, or is older than five minutes.',
    hint: 'Show a new code on the device that you want to sign in.',
  })
