import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { refusalOf } from '../support/api.ts'
import { SoftPasskey, type Options } from '../support/passkey.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { lookInto } from './look.ts'
import { newPerson, type Person } from './people.ts'

type Passkey = { id: string; name: string; origin: string; lastUsedAt: string | null }

describe.each(usualDatabases)('passkeys on %s', (database) => {
  let server: Server
  let origin = ''
  beforeAll(async () => {
    server = await startServer({ database })
    origin = server.address.replace('127.0.0.1', 'localhost')
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  /** As the page at that origin sends it. */
  const from = (at = origin) => ({ origin: at, host: new URL(at).host })
  const page = () => server.tcp(from())
  const asPage = (person: Person) => server.api(person.token).as(from())
  const begin = (person: Person) => asPage(person).post<Options & { known: string[] }>('/api/passkeys/challenge')

  async function added(person: Person, name = 'Phone'): Promise<{ key: SoftPasskey; passkey: Passkey }> {
    const key = new SoftPasskey(origin)
    const made = key.create(await begin(person))
    const passkey = await asPage(person).post<Passkey>('/api/passkeys', { name, ...made })
    return { key, passkey }
  }
  const challenge = () => page().post<Options>('/login/passkey/challenge')
  const signIn = (answer: object, headers: object = {}) =>
    page().send('POST', '/login/passkey', { body: answer, headers: { ...headers } })
  async function signedIn(key: SoftPasskey): Promise<string> {
    const reply = await signIn(key.get(await challenge()))
    if (reply.status !== 200) throw new Error(reply.text)
    const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    const login = { cookie, 'x-signalbox-key': (reply.body as { key: string }).key }
    const { user } = await server.tcp(login).get<{ user: { id: string } }>('/api/me')
    return user.id
  }
  const refused = async (answer: object, headers?: object) => refusalOf(await signIn(answer, headers)).code

  it('S3 a passkey is added, listed, renamed, signs its person in, and is removed', async () => {
    const ann = await newPerson(server, 'Ann')
    const { key, passkey } = await added(ann)
    expect(passkey).toMatchObject({ name: 'Phone', origin, lastUsedAt: null })
    expect((await begin(ann)).known).toEqual([key.credentialId])
    expect(await signedIn(key)).toBe(ann.id)
    await ann.api.patch(`/api/passkeys/${passkey.id}`, { name: 'Blue phone' })
    const { passkeys } = await ann.api.get<{ passkeys: Passkey[] }>('/api/passkeys')
    expect(passkeys).toEqual([
      expect.objectContaining({ id: passkey.id, name: 'Blue phone', lastUsedAt: expect.any(String) }),
    ])
    // Nothing that another server could use.
    expect(JSON.stringify(passkeys)).not.toContain(key.credentialId)
    await ann.api.delete(`/api/passkeys/${passkey.id}`)
    expect((await ann.api.get<{ passkeys: Passkey[] }>('/api/passkeys')).passkeys).toEqual([])
    expect(await refused(key.get(await withOther()))).toBe('passkey_not_valid')
    const { events } = await server.api().get<{ events: { type: string }[] }>('/api/audit?actor=user:' + ann.id)
    const types = events.map(({ type }) => type)
    for (const type of ['passkey.added', 'passkey.renamed', 'passkey.removed']) expect(types).toContain(type)
  })

  /** A challenge, which is only given if some passkey exists. */
  async function withOther(): Promise<Options> {
    const somebody = await newPerson(server, 'Somebody')
    await added(somebody)
    return challenge()
  }

  it('S3 a challenge works once, and only for what it was made for', async () => {
    const ben = await newPerson(server, 'Ben')
    const cem = await newPerson(server, 'Cem')
    const { key } = await added(ben)
    const used = await challenge()
    expect((await signIn(key.get(used))).status).toBe(200)
    expect(await refused(key.get(used))).toBe('passkey_challenge_not_valid')
    expect(await refused(key.get({ ...used, challenge: 'made-up' }))).toBe('passkey_challenge_not_valid')
    // One to add a passkey does not sign in, and that of one person adds none for another.
    const toAdd = await begin(ben)
    expect(await refused(key.get(toAdd))).toBe('passkey_challenge_not_valid')
    const other = new SoftPasskey(origin)
    const body = { name: 'Other', ...other.create(toAdd) }
    expect((await asPage(cem).refused('POST', '/api/passkeys', body)).code).toBe('passkey_challenge_not_valid')
    const toSignIn = { name: 'Other', ...other.create(await challenge()) }
    expect((await asPage(ben).refused('POST', '/api/passkeys', toSignIn)).code).toBe('passkey_challenge_not_valid')
    await asPage(ben).post('/api/passkeys', body)
    expect((await asPage(ben).refused('POST', '/api/passkeys', body)).code).toBe('passkey_challenge_not_valid')
  })

  it('S3 two sign-ins with one challenge at once: one is let in', async () => {
    const { key } = await added(await newPerson(server, 'Dora'))
    const answer = key.get(await challenge())
    const replies = await Promise.all([signIn(answer), signIn(answer), signIn(answer)])
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403])
  })

  it('S3 an answer for another page, host or person, without a check of the person, or with a bad signature is refused', async () => {
    const { key } = await added(await newPerson(server, 'Eve'))
    const { key: another } = await added(await newPerson(server, 'Finn'))
    const bends = [
      { origin: 'http://localhost:1' },
      { origin: 'https://localhost.evil.example' },
      { rpId: 'evil.example' },
      { type: 'webauthn.create' },
      { crossOrigin: true },
      { flags: 0x01 },
      { flags: 0x04 },
    ]
    for (const bend of bends)
      expect({ bend, code: await refused(key.get(await challenge(), bend)) }).toEqual({
        bend,
        code: 'passkey_not_valid',
      })
    const options = await challenge()
    const good = key.get(options)
    for (const bad of [
      { ...good, signature: another.get(options).signature },
      { ...good, credentialId: another.credentialId },
      { ...good, signature: 'AAAA' },
      { ...good, authenticatorData: 'AAAA' },
      { ...good, clientDataJSON: 'AAAA' },
    ])
      expect(await refused(bad)).toBe('passkey_not_valid')
    expect((await signIn(good)).status).toBe(200)
    // A program at another port of this host, which got a signature for its own page and lies about where it is.
    const port = from('http://localhost:41555')
    const forged = key.get(await challenge(), { origin: port.origin })
    expect(refusalOf(await server.tcp(port).send('POST', '/login/passkey', { body: forged })).code).toBe(
      'passkey_not_valid',
    )
    // A page of another origin does not get that far.
    const elsewhere = await server.tcp(from()).send('POST', '/login/passkey', {
      body: key.get(await challenge()),
      headers: { origin: 'http://localhost:1' },
    })
    expect(refusalOf(elsewhere).code).toBe('origin_not_allowed')
  })

  it('S3 a counter that goes back shows a copy, which is refused', async () => {
    const { key } = await added(await newPerson(server, 'Gil'))
    expect((await signIn(key.get(await challenge(), { count: 7 }))).status).toBe(200)
    expect(await refused(key.get(await challenge(), { count: 7 }))).toBe('passkey_copied')
    expect((await signIn(key.get(await challenge(), { count: 8 }))).status).toBe(200)
  })

  it('S3 the passkey of a removed person does nothing, and a restart changes nothing of that', async () => {
    const hal = await newPerson(server, 'Hal')
    const { key } = await added(hal)
    expect(await signedIn(key)).toBe(hal.id)
    await server.api().delete(`/api/users/${hal.id}`)
    expect(await refused(key.get(await challenge()))).toBe('passkey_not_valid')
    const open = await challenge()
    await server.restart()
    expect(await refused(key.get(open))).toBe('passkey_not_valid')
  })

  it('S3 a passkey can only be made at a name, for oneself, of a known kind, and for the page that asks', async () => {
    const ida = await newPerson(server, 'Ida')
    const at = { origin: server.address, host: new URL(server.address).host }
    const begun = await server.api(ida.token).as(at).refused('POST', '/api/passkeys/challenge', {})
    expect(begun.code).toBe('passkey_needs_name')
    const key = new SoftPasskey(origin)
    const options = await begin(ida)
    for (const body of [
      key.create(options, { origin: 'http://localhost:1' }),
      key.create(options, { flags: 0x01 }),
      key.create(options, { rpId: 'evil.example' }),
      { ...key.create(options), credentialId: 'AAAA' },
      { ...key.create(options), publicKey: 'AAAA' },
    ])
      expect((await asPage(ida).refused('POST', '/api/passkeys', { name: 'Bad', ...body })).code).toBe(
        'passkey_not_accepted',
      )
    const { passkey } = await added(ida)
    const jo = await newPerson(server, 'Jo')
    expect((await jo.api.refused('PATCH', `/api/passkeys/${passkey.id}`, { name: 'Mine' })).status).toBe(403)
    expect((await jo.api.refused('DELETE', `/api/passkeys/${passkey.id}`)).status).toBe(403)
  })

  it('S3 the database holds no challenge that could be answered', async () => {
    const { challenge: open } = await challenge()
    await using look = await lookInto(server)
    expect(await look.everything()).not.toContain(open)
  })
})
