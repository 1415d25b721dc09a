import { describe, expect, it } from 'vitest'
import { openWorld, system } from '../../../../test/world.ts'
import type { Json } from '../../../lib/json.ts'
import { silentLogger } from '../../../lib/log.ts'
import { sha256 } from '../../../lib/secret.ts'
import type { SharedDeps } from '../deps.ts'
import { freshNotes, type Recorder } from '../transcript/recorder.ts'
import { createOwnServer } from './own-server.ts'

type World = Awaited<ReturnType<typeof openWorld>>
type Server = { name: string; url: string; headers: { name: string; value: string }[] }
type Program = { name: string; command: string; args: string[]; env: { name: string; value: string }[] }

const url = 'http://127.0.0.1:7/mcp'

async function setUp(world: World, endpoint: { url: string } | null = { url }) {
  const owner = await world.person()
  const sessionId = await world.session(owner)
  const notes = { ...freshNotes }
  const shared = {
    app: world.app,
    log: silentLogger,
    ownTools: {
      endpoint: async () => endpoint,
      bridge: { command: '/usr/bin/node', args: ['/opt/signalbox.js', 'mcp'] },
      load: async () => {},
      knows: () => true,
      accepts: () => true,
    },
  }
  const recorder: Pick<Recorder, 'notes' | 'flush'> = { notes, flush: async () => {} }
  const own = createOwnServer({ shared: shared as unknown as SharedDeps, sessionId, recorder: recorder as Recorder })
  const invite = async <T>(others: readonly Json[], http: boolean) => (await own.announce(others, http)) as T
  const part = () => own.revoke(async (command) => void (await world.do(command, system)))
  return { own, owner, sessionId, notes, invite, part }
}

const known = (world: World, token: string | undefined) => world.app.read.credentialByToken(sha256(token ?? ''))
const tokenOf = ({ headers }: Server) => headers[0]?.value.replace('Bearer ', '')

describe('our server for an agent', () => {
  it('X7 has a token for its session only, owned by the session’s owner', async () => {
    await using world = await openWorld('sqlite')
    const { owner, sessionId, invite, notes } = await setUp(world)
    const server = await invite<Server>([], true)
    expect(server).toEqual({
      type: 'http',
      name: 'signalbox',
      url,
      headers: [{ name: 'Authorization', value: expect.stringMatching(/^Bearer sbx_\S{40,}$/) }],
    })
    const token = await known(world, tokenOf(server))
    expect(token).toMatchObject({ actor: { kind: 'agent', userId: owner.userId, sessionId }, expiresAt: null })
    expect(notes.own.server).toBe('signalbox')
    const tokens = await world.app.read.tokens({ actor: owner, grants: [], memberOf: [], unknown: false }, false)
    expect(tokens.ok && tokens.value[0]).toMatchObject({ name: `session ${sessionId.slice(0, 8)}`, scope: 'agent' })
  })

  it('X7 is a program for an agent that can’t reach an address, with address and token in its environment', async () => {
    await using world = await openWorld('sqlite')
    const { invite } = await setUp(world)
    const { env, ...server } = await invite<Program>([], false)
    expect(server).toEqual({ name: 'signalbox', command: '/usr/bin/node', args: ['/opt/signalbox.js', 'mcp'] })
    expect(env[0]).toEqual({ name: 'SIGNALBOX_URL', value: 'http://127.0.0.1:7' })
    expect(await known(world, env[1]?.value)).toMatchObject({ actor: { kind: 'agent' } })
  })

  it('X7 has another name if the operator has a server with that name', async () => {
    await using world = await openWorld('sqlite')
    const { invite, notes } = await setUp(world)
    expect(await invite<Server>([{ name: 'signalbox' }], true)).toMatchObject({ name: 'signalbox-2' })
    expect(notes.own.server).toBe('signalbox-2')
    const taken = [{ name: 'signalbox' }, { name: 'signalbox-2' }]
    expect(await invite<Server>(taken, true)).toMatchObject({ name: 'signalbox-3' })
  })

  it('X7 all its tokens end with the process they were made for', async () => {
    await using world = await openWorld('sqlite')
    const { invite, part } = await setUp(world)
    const servers = [await invite<Server>([], true), await invite<Server>([], true)]
    for (const server of servers) expect(await known(world, tokenOf(server))).toBeTruthy()
    await part()
    for (const server of servers) expect(await known(world, tokenOf(server))).toBeFalsy()
  })

  it('is not offered, and has no token, without an endpoint', async () => {
    await using world = await openWorld('sqlite')
    const { invite, notes } = await setUp(world, null)
    expect(await invite([], true)).toBeNull()
    expect(notes.own).toEqual({ server: '', tokens: [] })
  })

  it('is not given to an agent that can’t have a token', async () => {
    await using world = await openWorld('sqlite')
    const { owner, invite, notes } = await setUp(world)
    await world.do({ type: 'user.remove', id: owner.userId }, system)
    expect(await invite([], true)).toBeNull()
    expect(notes.own.server).toBe('')
  })
})
