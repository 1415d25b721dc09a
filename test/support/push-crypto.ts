import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify, type ECDH } from 'node:crypto'

/** What a browser keeps of its subscription. */
export type BrowserKeys = { ecdh: ECDH; auth: Buffer }

export function newBrowserKeys(): BrowserKeys & { public: { p256dh: string; auth: string } } {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  const auth = randomBytes(16)
  return {
    ecdh,
    auth,
    public: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
  }
}

const hmac = (key: Buffer, ...data: Buffer[]): Buffer => createHmac('sha256', key).update(Buffer.concat(data)).digest()

/** HKDF of at most one block, as RFC 8188 and RFC 8291 use it. */
const derive = (salt: Buffer, secret: Buffer, info: Buffer, length: number): Buffer =>
  hmac(hmac(salt, secret), info, Buffer.from([1])).subarray(0, length)

/** RFC 8291: one record of aes128gcm, for this browser only. */
export function decrypt(body: Buffer, { ecdh, auth }: BrowserKeys): string {
  const salt = body.subarray(0, 16)
  const idLength = body.readUInt8(20)
  const senderKey = body.subarray(21, 21 + idLength)
  const record = body.subarray(21 + idLength)
  if (record.length > body.readUInt32BE(16)) throw new Error('more than one record')
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey])
  const secret = derive(auth, ecdh.computeSecret(senderKey), info, 32)
  const key = derive(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16)
  const nonce = derive(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12)
  const decipher = createDecipheriv('aes-128-gcm', key, nonce)
  decipher.setAuthTag(record.subarray(-16))
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
  const end = padded.lastIndexOf(2)
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no end of the record')
  return padded.subarray(0, end).toString('utf8')
}

export type Vapid = { audience: string; subject: string; expires: number; publicKey: string }

/** RFC 8292: identifies the sender by a signature with the key the browser subscribed with. */
export function readVapid(authorization: string): Vapid {
  const [, token = '', publicKey = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  })
  const signed = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!signed) throw new Error(`the signature does not fit: ${authorization}`)
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString())
  if (alg !== 'ES256') throw new Error(`signed by ${alg}`)
  const { aud, sub, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  return { audience: aud, subject: sub, expires: exp, publicKey }
}
