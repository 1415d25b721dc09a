import { once } from 'node:events'
import { createServer, get, type ClientRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { viewerOf } from '../../../src/domain/user/actor.ts'
import type { Caller } from '../../../src/edges/http/auth.ts'
import { createEventStream, type StreamFilter } from '../../../src/edges/http/event-stream.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'
import { openWorld, until, type Person, type World } from '../../world.ts'

function callerOf(actor: Caller['actor']): Caller {
  const standing = { actor, grants: [], memberOf: [], unknown: false }
  const credential = { actor, expiresAt: null, tokenId: null, keyHash: null }
  return { actor, standing, viewer: viewerOf(standing), via: 'token', expiresAt: null, cookieHash: null, credential }
}

/** Readers over real connections, as browsers hold them. */
async function openReaders({ app }: World, stack: AsyncDisposableStack) {
  const stream = createEventStream({ app, clock: systemClock, log: silentLogger })
  const wanted: { actor: Caller['actor']; filter: StreamFilter }[] = []
  const server = createServer((_request, response) => {
    const next = wanted.shift()
    if (next) void stream.open(response, callerOf(next.actor), null, next.filter)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(() => {
    stream.close()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    stream,
    async read(actor: Caller['actor'], filter: StreamFilter): Promise<ClientRequest> {
      wanted.push({ actor, filter })
      const call = get({ port, host: '127.0.0.1', agent: false })
      call.on('error', () => undefined)
      await once(call, 'response')
      return call
    },
  }
}

describe('who has which session on screen', () => {
  it('is known for people whose page says so, per session, while the stream is open', async () => {
    await using stack = new AsyncDisposableStack()
    const world = stack.use(await openWorld('sqlite'))
    const { stream, read } = await openReaders(world, stack)
    const [ann, bob]: Person[] = [await world.person('Ann'), await world.person('Bob')]
    const [here, there] = [await world.session(ann!), await world.session(ann!)]
    const looks = (person: Person, id: typeof here | null) => stream.isLooking(person.userId, id)
    expect(looks(ann!, here)).toBe(false)

    const page = await read(ann!, { live: here, looking: true })
    expect([looks(ann!, here), looks(ann!, there), looks(ann!, null), looks(bob!, here)]).toEqual([
      true,
      false,
      false,
      false,
    ])
    const inbox = await read(ann!, { looking: true })
    expect([looks(ann!, null), looks(ann!, there)]).toEqual([true, false])
    page.destroy()
    await until(() => !looks(ann!, here))
    expect(looks(ann!, null)).toBe(true)
    inbox.destroy()
    await until(() => !looks(ann!, null))
  })

  it('is not known for readers that only listen, or for agents', async () => {
    await using stack = new AsyncDisposableStack()
    const world = stack.use(await openWorld('sqlite'))
    const { stream, read } = await openReaders(world, stack)
    const ann = await world.person('Ann')
    const session = await world.session(ann)
    await read(ann, { sessionId: session })
    await read(
      { kind: 'agent', userId: ann.userId, tokenId: null, sessionId: session },
      { live: session, looking: true },
    )
    expect([stream.readers(), stream.isLooking(ann.userId, session)]).toEqual([2, false])
    await read(ann, { sessionId: session, looking: true })
    expect(stream.isLooking(ann.userId, session)).toBe(true)
  })
})
