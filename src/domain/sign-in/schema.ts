import * as z from 'zod'
import type { DataOf } from '../slice/events.ts'
import { UserId } from '../user/id.ts'
import { PasskeyId } from './id.ts'

export { PasskeyId }

export const Passkey = z
  .object({
    id: PasskeyId,
    name: z.string(),
    /** The address of the page it was made at; it works at no other. */
    origin: z.string(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof Passkey>

export const DeviceOutcome = z.enum(['approved', 'denied'])
export type DeviceOutcome = z.infer<typeof DeviceOutcome>

/** What asks to be signed in. */
export const DeviceLogin = z
  .object({
    address: z.string().meta({ description: 'The network address it asks from.' }),
    browser: z.string().meta({ description: 'What its browser says it is.' }),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'DeviceLogin' })
export type DeviceLogin = z.infer<typeof DeviceLogin>

export const PasskeyName = z.string().trim().min(1).max(100)
const hash = z.string().regex(/^[0-9a-f]{64}$/)
const expiresAt = z.iso.datetime()
const login = { cookieHash: hash, keyHash: hash, expiresAt }

export const SignInCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('passkey.begin'), userId: UserId, challengeHash: hash, expiresAt }),
  z.object({
    type: z.literal('passkey.add'),
    id: PasskeyId,
    userId: UserId,
    name: PasskeyName,
    challengeHash: hash,
    credentialId: z.string().min(1).max(1400),
    publicKey: z.string().min(1).max(4000),
    origin: z.string().min(1).max(300),
    signCount: z.int().min(0),
  }),
  z.object({ type: z.literal('passkey.rename'), id: PasskeyId, name: PasskeyName }),
  z.object({ type: z.literal('passkey.remove'), id: PasskeyId }),
  /** A challenge for whoever may sign in. */
  z.object({ type: z.literal('passkey.challenge'), challengeHash: hash, expiresAt }),
  /** The signature was verified. */
  z.object({
    type: z.literal('passkey.sign_in'),
    credentialId: z.string().max(1400),
    challengeHash: hash,
    signCount: z.int().min(0),
    ...login,
  }),
  z.object({
    type: z.literal('device.ask'),
    requestHash: hash,
    codeHash: hash,
    address: z.string().max(100),
    browser: z.string().max(100),
    expiresAt,
  }),
  z.object({ type: z.literal('device.answer'), codeHash: hash, userId: UserId, outcome: DeviceOutcome }),
  z.object({ type: z.literal('device.sign_in'), requestHash: hash, ...login }),
])
export type SignInCommand = z.infer<typeof SignInCommand>

export const signInEvents = {
  'passkey.added': () => z.object({ id: PasskeyId, userId: UserId, origin: z.string() }),
  'passkey.renamed': () => z.object({ id: PasskeyId, userId: UserId }),
  'passkey.removed': () => z.object({ id: PasskeyId, userId: UserId }),
  'device.answered': () =>
    z.object({ userId: UserId, outcome: DeviceOutcome, address: z.string(), browser: z.string() }),
}
type Data = DataOf<typeof signInEvents>

export type SignInChange =
  | {
      type: 'passkey.added'
      data: Data['passkey.added']
      body: { name: string; credentialId: string; publicKey: string; signCount: number; challengeHash: string }
    }
  | { type: 'passkey.renamed'; data: Data['passkey.renamed']; body: { name: string } }
  | { type: 'passkey.removed'; data: Data['passkey.removed'] }
  /** Written to the table, not logged: whoever is not signed in must not fill the log. */
  | { type: 'passkey.challenged'; data: { userId: UserId | null; expiresAt: string }; body: { challengeHash: string } }
  | {
      type: 'passkey.used'
      data: { id: PasskeyId; userId: UserId }
      body: { signCount: number; challengeHash: string }
    }
  | {
      type: 'device.asked'
      data: { address: string; browser: string; expiresAt: string }
      body: { requestHash: string; codeHash: string }
    }
  | { type: 'device.answered'; data: Data['device.answered']; body: { codeHash: string } }
  | { type: 'device.used'; data: { userId: UserId }; body: { requestHash: string } }
