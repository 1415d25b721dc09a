import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPrograms } from '../support/programs.ts'
import { usualDatabases, startServer, type Server } from '../support/server.ts'
import { openPlace, type Place } from './place.ts'
import { keyboardCases, secretCases, type SecretCase } from './secrets-cases.ts'
import { findIn } from './secrets-forms.ts'
import { answersOf, argumentsOf, filesOf, listenTo, rowsOf, shownIn } from './secrets-places.ts'
import { play, routes } from './secrets-type.ts'

/** Prompts become asks at once. */
const config = '[terminal]\nask_after_seconds = 0\n'

describe.each(usualDatabases)('a password typed into a program, with %s', (database) => {
  const stack = new AsyncDisposableStack()
  let place: Place
  let server: Server
  let cases: SecretCase[]

  beforeAll(async () => {
    place = stack.use(await openPlace())
    server = stack.use(await startServer({ database, config, env: place.env }))
    const refusing = createServer((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end()
    })
    await new Promise<void>((resolve) => {
      refusing.listen(0, '127.0.0.1', resolve)
    })
    stack.defer(() => void refusing.close())
    const { port } = refusing.address() as AddressInfo
    cases = secretCases(place, `http://127.0.0.1:${port}/some.git`)
  })
  afterAll(() => stack.disposeAsync())

  it.each(routes)('%s is found nowhere afterwards, and other input is', async (route) => {
    const api = server.api()
    const all = (route === 'at the keyboard' ? [...cases, ...keyboardCases()] : cases).filter(
      ({ needs }) => missingPrograms(needs).length === 0,
    )
    using events = listenTo(api, '/api/events')
    const heard = new Map<string, () => Buffer>([['live events', events.heard]])
    using listening = new DisposableStack()
    const ids: string[] = []
    const started: Buffer[] = []
    for (const one of all) {
      const id = await play(server, place.env, one, route)
      ids.push(id)
      heard.set(`live ${one.name}`, listening.use(listenTo(api, `/api/terminals/${id}/live`)).heard)
      heard.set(`live state ${one.name}`, listening.use(listenTo(api, `/api/events?session=${id}`)).heard)
      started.push(argumentsOf())
    }
    const answers = await answersOf(api, ids)
    for (const id of ids) await api.post(`/api/terminals/${id}/end`)
    const frames = new Map([...heard].map(([name, get]) => [name, get()]))
    const rows = server.databaseUrl === null ? new Map<string, Buffer>() : await rowsOf(server.databaseUrl)
    const files = filesOf(server.home)
    const places = new Map([
      ...files,
      ...shownIn(files),
      ...rows,
      ...answers,
      ...frames,
      ['process arguments', Buffer.concat(started)] as const,
      ['server log', Buffer.from(server.log() + server.printed())],
    ])
    const leaks: string[] = []
    const lost: string[] = []
    for (const [index, { name, turns }] of all.entries()) {
      const id = ids[index] ?? ''
      for (const { words, secret } of turns) {
        const found = findIn(places, words)
        if (secret) leaks.push(...found.map((where) => `${name}: ${where}`))
        else {
          const wanted = [
            database === 'sqlite' ? /^file signalbox\.db/ : /^table .*input_events/,
            new RegExp(`^shown in file terminals/${id}/.*\\.cast`),
            new RegExp(`^GET /api/terminals/${id}/updates`),
            new RegExp(`^GET /api/sessions/${id}/inputs`),
            new RegExp(`^live ${name}`),
          ]
          for (const where of wanted)
            if (!found.some((one) => where.test(one))) lost.push(`${name}: not in ${where.source}`)
        }
      }
    }
    expect(leaks).toEqual([])
    expect(lost).toEqual([])
  })
})
