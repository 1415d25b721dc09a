import * as z from 'zod'
import { DeviceLogin, DeviceOutcome, Passkey, PasskeyId, PasskeyName } from '../../domain/sign-in/schema.ts'
import { UserId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'

const base64url = z.string().regex(/^[\w-]+$/)
const ById = () => z.object({ id: PasskeyId })
const code = z
  .string()
  .min(1)
  .max(100)
  .meta({ description: 'As the new device shows it; case, spaces and dashes do not matter.' })

/** How people sign in: passkeys, and devices that another device lets in. */
export const signInEndpoints = {
  listPasskeys: endpoint({
    method: 'GET',
    path: '/api/passkeys',
    tag: 'people',
    summary: 'Your passkeys, oldest first',
    status: 200,
    response: () => z.object({ passkeys: z.array(Passkey) }),
  }),
  beginPasskey: endpoint({
    method: 'POST',
    path: '/api/passkeys/challenge',
    tag: 'people',
    summary: 'What a browser needs to make a passkey for you; valid once, for five minutes',
    status: 201,
    response: () =>
      z.object({
        challenge: base64url,
        rpId: z.string(),
        user: z.object({ id: UserId, displayName: z.string() }),
        algorithms: z.array(z.int()),
        known: z.array(base64url).meta({ description: 'Credentials that you added before.' }),
        expiresAt: z.iso.datetime(),
      }),
  }),
  addPasskey: endpoint({
    method: 'POST',
    path: '/api/passkeys',
    tag: 'people',
    summary: 'Add the passkey that your browser made',
    status: 201,
    body: () =>
      z.strictObject({
        name: PasskeyName,
        credentialId: base64url.max(1400),
        clientDataJSON: base64url.max(10_000),
        authenticatorData: base64url.max(10_000),
        publicKey: base64url.max(4000),
      }),
    response: Passkey,
  }),
  renamePasskey: endpoint({
    method: 'PATCH',
    path: '/api/passkeys/{id}',
    tag: 'people',
    summary: 'Rename your passkey',
    status: 200,
    params: ById,
    body: () => z.strictObject({ name: PasskeyName }),
    response: Passkey,
  }),
  removePasskey: endpoint({
    method: 'DELETE',
    path: '/api/passkeys/{id}',
    tag: 'people',
    summary: 'Remove a passkey: nobody can sign in with it any more',
    status: 200,
    params: ById,
    response: () => z.object({ id: PasskeyId, removed: z.literal(true) }),
  }),
  showDeviceLogin: endpoint({
    method: 'POST',
    path: '/api/device-logins/show',
    tag: 'people',
    summary: 'Which device shows this code and asks to be signed in as you',
    status: 200,
    body: () => z.strictObject({ code }),
    response: DeviceLogin,
  }),
  answerDeviceLogin: endpoint({
    method: 'POST',
    path: '/api/device-logins/answer',
    tag: 'people',
    summary: 'Sign the device that shows this code in as you, or refuse it',
    status: 200,
    body: () => z.strictObject({ code, outcome: DeviceOutcome }),
    response: () => z.object({ outcome: DeviceOutcome }),
  }),
}
