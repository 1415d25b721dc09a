import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openMatrixSetup, type MatrixSetup } from './setup.ts'
import type { CallerName } from './callers.ts'
import { openLanes, type Lanes } from './cli-lanes.ts'
import { commandLine, offeredCommands, openDetour, routesOf, runCommand, runLocally } from './commands.ts'
import { isMadeByCore, isMadeElsewhere, listenToAll, type HeardEvents } from './heard-events.ts'
import { mountedPaths, toolAliases, viewPaths } from './known.ts'
import { isToCome } from './open.ts'
import { commandSpecs, localCommands } from './requests/commands.ts'
import { requests } from './requests/index.ts'
import { pageRequests, plainPage } from './requests/pages.ts'
import { toolCalls } from './requests/tools.ts'
import { runTool } from './run-tool.ts'
import { runRow } from './run.ts'
import { readTable, routeAreas, titleOf } from './table.ts'
import { mcp } from './tool-call.ts'

type Document = { paths: Record<string, Record<string, Record<string, unknown>>> }

/** A few of them, run: a read, an act, what only admins do, what only owners do. Dead tokens must not fall back to the socket. */
const tried: [string, Partial<Record<CallerName, 'ok' | 'no'>>][] = [
  [
    'sessions show SESSION',
    { own: 'ok', strn: 'no', self: 'ok', read: 'ok', othr: 'ok', rvkd: 'no', expd: 'no', none: 'no' },
  ],
  ['sessions pause SESSION', { own: 'no', strn: 'no', read: 'no', othr: 'no', rvkd: 'no', rmvd: 'no', self: 'ok' }],
  ['users list', { own: 'ok', adm: 'ok', strn: 'no', read: 'no', othr: 'no', expd: 'no', none: 'no' }],
  ['roles grant admin Nobody', { adm: 'no', strn: 'no', self: 'no', othr: 'no', none: 'no' }],
  ['tokens create --name more', { own: 'ok', strn: 'ok', read: 'no', othr: 'no', rvkd: 'no', none: 'no' }],
]

/** Rows in which each allowed caller starts one. */
const startsAgents = /start|fork|handover|POST \/api\/(?:practice|sessions)(?: ~|$)/

const expectNoneWrong = (wrong: readonly string[]) => expect(wrong, wrong.join('\n')).toEqual([])

describe('the matrix of callers', () => {
  let setup: MatrixSetup
  let document: Document
  let heardEvents: HeardEvents
  beforeAll(async () => {
    setup = await openMatrixSetup()
    heardEvents = await listenToAll(setup)
    document = await setup.server.tcp().get<Document>('/api/openapi.json')
  })
  afterAll(async () => {
    await heardEvents?.[Symbol.asyncDispose]()
    await setup?.[Symbol.asyncDispose]()
  })

  afterEach(async ({ task }) => {
    if (startsAgents.test(task.name)) await setup.endAgents()
  })

  const pages = readTable('pages')
  const tools = readTable('tools')
  const commands = readTable('commands')
  const routes = routeAreas.flatMap((area) => readTable(area))

  it('S9 every endpoint of the API has a row, and every row an endpoint', () => {
    const known = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const written = new Set(routes.map(({ name }) => name))
    const absent = [...written].filter((name) => !known.includes(name))
    const advice =
      'Endpoints without a row: add one in test/security/matrix/table, and a request in test/security/matrix/requests'
    expect(
      known.filter((name) => !written.has(name)),
      advice,
    ).toEqual([])
    expect(absent.filter((name) => !isToCome(name))).toEqual([])
    expect([...written].filter((name) => isToCome(name) && !absent.includes(name))).toEqual([])
  })

  it('S9 every page, file and endpoint outside the API has a row', () => {
    const written = new Set(pages.map(({ name }) => name.split(' ')[1]))
    expect(mountedPaths().filter((path) => !written.has(path))).toEqual([])
    expect(viewPaths().filter((path) => !written.has(path))).toEqual([])
  })

  describe('pages', () => {
    it.each(pages.map((row) => [titleOf(row), row] as const))('S9 %s', async (title, row) => {
      expectNoneWrong(isToCome(row.name) ? [] : await runRow(row, pageRequests[title] ?? plainPage, setup))
    })
  })

  it('S9 every tool, every former name and every resource has a row', async () => {
    const headers = setup.headers('othr', null)
    const listed = async <T>(method: string, field: string) =>
      ((await mcp(setup, headers, method)).answer.result?.[field] as T[] | undefined) ?? []
    const found = [
      ...(await listed<{ name: string }>('tools/list', 'tools')).map(({ name }) => name),
      ...(await listed<{ uri: string }>('resources/list', 'resources')).map(({ uri }) => uri),
      ...toolAliases(),
    ]
    expect(found.length).toBeGreaterThan(20)
    const written = new Set(tools.map(({ name }) => name))
    expect(found.filter((name) => !written.has(name))).toEqual([])
    expect([...written].filter((name) => !found.includes(name))).toEqual([])
  })

  describe('tools', () => {
    it.each(tools.map((row) => [titleOf(row), row] as const))('S9 %s', async (title, row) => {
      const spec = toolCalls[title]
      expect(spec, `${title} has a row, but no call is written for it`).toBeDefined()
      if (spec) expectNoneWrong(await runTool(row, spec, setup))
    })
  })

  it('S9 every command has a line, and the endpoints it calls have rows', async () => {
    const offered = offeredCommands()
    expect(offered.length).toBeGreaterThan(50)
    expect(offered.filter((name) => !commands.some((row) => row.name === name))).toEqual([])
    expect(commands.filter(({ name }) => !offered.includes(name))).toEqual([])
    const rows = new Set([...routes, ...pages].map(({ name }) => name))
    expect(commands.flatMap((row) => routesOf(row) ?? []).filter((route) => !rows.has(route))).toEqual([])
    const titles = (local: boolean) => commands.filter((row) => (routesOf(row) === null) === local).map(titleOf)
    expect(Object.keys(commandSpecs).toSorted()).toEqual(titles(false).toSorted())
    expect(Object.keys(localCommands).toSorted()).toEqual(titles(true).toSorted())
  })

  describe('commands', () => {
    let lanes: Lanes
    let detour: Awaited<ReturnType<typeof openDetour>>
    beforeAll(async () => {
      lanes = openLanes(3)
      detour = await openDetour(setup)
    })
    afterAll(async () => {
      await lanes?.[Symbol.asyncDispose]()
      await detour?.[Symbol.asyncDispose]()
    })

    const asking = commands.filter((row) => routesOf(row) !== null)
    it.each(asking.map((row) => [titleOf(row), row] as const))('S9 %s', async (title, row) => {
      const spec = commandSpecs[title]
      expect(spec, `${title} has a row, but how it is run is not written`).toBeDefined()
      if (spec) expectNoneWrong(await runCommand(row, spec, { setup, lanes, url: detour.url }))
    })

    it.each(Object.entries(localCommands))('S9 %s calls no server, whatever token is set', async (title, how) => {
      const { code, stderr } = await runLocally(title, how.words ?? [], setup, lanes)
      expect([code, stderr]).toEqual([how.exit ?? 0, stderr])
    })
  })

  it.each(tried)('S9 the command line %s: the token decides, and nothing else is tried', async (words, cells) => {
    const subject = await setup.session()
    const args = words.split(' ').map((word) => (word === 'SESSION' ? subject.id : word))
    const callers = Object.keys(cells) as CallerName[]
    const ran = await Promise.all(callers.map((caller) => commandLine(setup, caller, args)))
    const got = callers.map((caller, n) => [caller, ran[n]?.code === 0 ? 'ok' : 'no'])
    expect(Object.fromEntries(got)).toEqual(cells)
  })

  describe.each(routeAreas)('%s', (area) => {
    const rows = readTable(area).filter(({ name }) => !isToCome(name))
    it.each(rows.map((row) => [titleOf(row), row] as const))('S9 %s', async (title, row) => {
      const spec = requests[title]
      expect(spec, `${title} has a row, but no request: add one in test/security/matrix/requests`).toBeDefined()
      if (spec) expectNoneWrong(await runRow(row, spec, setup))
    })
  })
  // Last, because the events come from the requests above.
  describe('events', () => {
    const events = readTable('events')
    beforeAll(() => heardEvents.settle())

    it('S9 every type of event has a row, and no other type is sent', () => {
      const known = document.paths['/api/events']?.['get']?.['x-event-types'] as string[]
      const written = new Set(events.map(({ name }) => name))
      expect(known.filter((type) => !written.has(type))).toEqual([])
      expect([...written].filter((type) => isToCome(type) === known.includes(type))).toEqual([])
      expect([...new Set(heardEvents.all().map(({ type }) => type))].filter((type) => !known.includes(type))).toEqual(
        [],
      )
    })

    const here = events.filter(({ note }) => !isMadeElsewhere(note) && !isMadeByCore(note))
    it.each(here.map((row) => [titleOf(row), row] as const))('S9 %s', async (_title, row) => {
      expectNoneWrong(isToCome(row.name) ? [] : await heardEvents.check(row))
    })
  })
  it('S9 POST /api/stop: the owner stops the server', async () => {
    await heardEvents[Symbol.asyncDispose]()
    const { status } = await setup.api('own').send('POST', '/api/stop', { body: { agents: 'end' } })
    expect(status).toBe(202)
  })
})
