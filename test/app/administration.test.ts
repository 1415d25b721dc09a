import { expect, it } from 'vitest'
import { createAdministration, type Administration } from '../../src/app/administration/administration.ts'
import type { AdministrationPorts } from '../../src/app/administration/ports.ts'
import type { App } from '../../src/app/app.ts'
import { createAnswerAsk } from '../../src/app/use-cases/answer-ask.ts'
import { deadlineKinds } from '../../src/app/slices.ts'
import { AgentGroupCommand } from '../../src/domain/agent-group/schema.ts'
import { loadContainerConfig } from '../../src/domain/agent-group/store-container-config.ts'
import type { Answer } from '../../src/domain/ask/answer.ts'
import type { AskId } from '../../src/domain/ask/id.ts'
import type { AskSubject } from '../../src/domain/ask/subject.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import { start } from '../../src/domain/audit/cursor.ts'
import { readEvents } from '../../src/domain/audit/store.ts'
import { systemStanding, viewerOf } from '../../src/domain/user/actor.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { fail, ok } from '../../src/lib/result.ts'
import { describeBoth, newSession, until, type Node, type Person, type World } from '../world.ts'
import { answers } from './samples.ts'

const seeing = systemStanding('test')
const noSecrets = { holdSecret: () => false, dropSecret() {} }

const wishes = {
  packages: { kind: 'packages', apt: ['jq'], npm: [], reason: 'JSON' },
  mcp_server: { kind: 'mcp_server', name: 'files', server: { url: 'https://example.com/mcp' }, reason: 'files' },
  create_agent: { kind: 'create_agent', name: 'Scout', instructions: 'Look.', reason: null },
  credential: { kind: 'credential', name: 'TOKEN', host: 'api.example.com', reason: 'calls' },
} as const satisfies Record<string, AskSubject>
type Wish = keyof typeof wishes

/** Events that carrying it out makes, each once. */
const effects: Record<Wish, readonly string[]> = {
  packages: ['agent_group.configured'],
  mcp_server: ['agent_group.configured'],
  create_agent: ['agent_group.created', 'agent_group.instructed', 'destination.added', 'destination.added'],
  credential: ['credential.granted'],
}

async function opened(world: World) {
  const [gina, mel, olu] = [await world.person('Gina'), await world.person('Mel'), await world.person('Olu')]
  const group = newId<AgentGroupId>()
  await world.do(AgentGroupCommand.parse({ type: 'agent_group.create', id: group, name: 'Helpers' }))
  await world.do({ type: 'role.grant', userId: gina.userId, role: 'admin', agentGroupId: group })
  await world.do({ type: 'role.grant', userId: olu.userId, role: 'owner', agentGroupId: null })
  await world.do({ type: 'member.add', userId: mel.userId, agentGroupId: group })
  const sessionId = await world.session(mel, { agentGroupId: group })
  return { gina, mel, olu, group, sessionId }
}

type Ports = Partial<AdministrationPorts>

const vault: AdministrationPorts['vault'] = async () =>
  ok({ seal: (value, owner) => `sealed ${owner} ${value.length}`, open: () => ok('value') })

function administrationOn(world: World, node: Node, ports: Ports = {}, app: App = node.app): Administration {
  return createAdministration({
    app,
    database: node.database,
    clock: world.clock,
    log: silentLogger,
    nodeId: 'carrier',
    holdMs: 1,
    ports: {
      buildImage: async () => ok(null),
      restartAgent: async () => false,
      vault,
      ...ports,
    },
  })
}

const answered = async (
  node: Node,
  { credentials }: Administration,
  id: AskId,
  by: Person,
  answer: Answer = answers.approve,
) => {
  const answerAsk = createAnswerAsk(node.app, noSecrets, credentials)
  const done = await answerAsk(id, answer, { actor: by, standing: await node.app.read.standing(by), once: {} })
  if (!done.ok) throw new Error(done.fault.message)
}

const consentTo = (kind: Wish): Answer =>
  kind === 'credential' ? { outcome: 'reply', value: 'hunter2' } : answers.approve

const askOf = async (world: World, id: AskId) => {
  const ask = await world.app.read.ask(seeing, id)
  if (!ask.ok) throw new Error(ask.fault.message)
  return ask.value
}

const ended = (world: World, id: AskId) =>
  until(async () => {
    const ask = await askOf(world, id)
    return ['consumed', 'failed'].includes(ask.status) ? ask : null
  })

async function eventsAfter(world: World, opened: readonly string[]): Promise<string[]> {
  const rows = await world.database.read.selectFrom('events').select('type').orderBy('seq').execute()
  return rows.map(({ type }) => type).slice(opened.length)
}
const allEvents = async (world: World) => eventsAfter(world, [])

/** The server is killed right after, or before, this command of the administration has been committed. */
function dying(app: App, at: number, when: 'before' | 'after') {
  const dead = Promise.withResolvers<never>()
  dead.promise.catch(() => {})
  const died = Promise.withResolvers<void>()
  let count = 0
  const dispatch: App['dispatch'] = async (command, actor, options) => {
    if (actor.kind !== 'system' || actor.name !== 'administration') return app.dispatch(command, actor, options)
    count += 1
    if (count < at) return app.dispatch(command, actor, options)
    if (count === at && when === 'after') await app.dispatch(command, actor, options)
    died.resolve()
    return dead.promise
  }
  return {
    app: { ...app, dispatch },
    died: died.promise,
    kill: () => dead.reject(new Error('killed')),
    seen: () => count,
  }
}

describeBoth('administration', (open) => {
  const kinds = Object.keys(wishes) as Wish[]

  it.each(kinds)(
    '%s: killed before or after any step, it is carried out and told once',
    async (kind) => {
      await using world = await open()
      let steps = 1
      for (let at = 1; at <= steps; at += 1)
        for (const when of ['before', 'after'] as const) {
          const { gina, sessionId } = await opened(world)
          const wish = wishes[kind]
          const subject = wish.kind === 'create_agent' ? { ...wish, name: `Scout ${at} ${when}` } : wish
          const id = await world.ask(sessionId, { subject })
          const before = await allEvents(world)
          const node = await world.join({ nodeId: 'carrier' })
          const cut = dying(node.app, at, when)
          const first = administrationOn(world, node, {}, cut.app)
          await first.start()
          await answered(node, first, id, gina, consentTo(kind))
          await Promise.race([cut.died, ended(world, id)])
          steps = Math.max(steps, cut.seen() + (at === cut.seen() ? 1 : 0))
          const stopped = first[Symbol.asyncDispose]()
          cut.kill()
          await stopped
          await node[Symbol.asyncDispose]()
          const again = await world.join({ nodeId: 'carrier' })
          await using second = administrationOn(world, again)
          await second.start()
          expect(await ended(world, id)).toMatchObject({ status: 'consumed' })
          const made = await eventsAfter(world, before)
          const relevant = made.filter((type) => !type.startsWith('ask.') && !type.startsWith('queue.'))
          expect([kind, at, when, relevant]).toEqual([kind, at, when, effects[kind]])
          expect(made.filter((type) => type === 'ask.consumed')).toHaveLength(1)
          const items = await world.database.read
            .selectFrom('queue_items')
            .select('words')
            .where('session_id', '=', sessionId)
            .execute()
          expect(items).toHaveLength(1)
          if (at > 20) throw new Error('it never ends')
        }
      expect(steps).toBeGreaterThan(3)
    },
    300_000,
  )

  it('what was approved is not carried out if it is not what was shown', async () => {
    await using world = await open()
    const { gina, group, sessionId } = await opened(world)
    await using administration = administrationOn(world, world)
    await administration.start()
    const forged = await world.ask(sessionId, { subject: wishes.packages })
    const { subject } = await askOf(world, forged)
    await world.database.write
      .updateTable('asks')
      .set({ subject: JSON.stringify({ ...subject, apt: ['evil'], after: { apt: ['evil'], npm: [] } }) })
      .where('id', '=', forged)
      .execute()
    await answered(world, administration, forged, gina)
    expect(await ended(world, forged)).toMatchObject({ status: 'failed' })
    const changed = await world.ask(sessionId, { subject: wishes.packages })
    await world.do({ type: 'agent_group.configure', id: group, packagesApt: ['vim'] })
    await answered(world, administration, changed, gina)
    expect(await ended(world, changed)).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('changed since'),
    })
    expect((await loadContainerConfig(world.database.read, group))?.packagesApt).toEqual(['vim'])
  })

  it('after a restart only the administration finishes what administrators approved', async () => {
    await using world = await open()
    const { gina, sessionId } = await opened(world)
    const built = Promise.withResolvers<void>()
    const buildImage = async () => {
      await built.promise
      return ok(null)
    }
    await using administration = administrationOn(world, world, { buildImage })
    await administration.start()
    const id = await world.ask(sessionId, { subject: wishes.packages })
    await answered(world, administration, id, gina)
    await until(async () => (await askOf(world, id)).status === 'applying')
    expect(await world.app.read.asksBeingApplied('carrier')).toEqual([])
    built.resolve()
    expect(await ended(world, id)).toMatchObject({ status: 'consumed' })
  })

  it('a group that changes while its image is built is not overwritten', async () => {
    await using world = await open()
    const { gina, group, sessionId } = await opened(world)
    const buildImage: AdministrationPorts['buildImage'] = async (_id, settings, onLog) => {
      onLog(`with ${settings.packagesApt.join()}`)
      await world.do({ type: 'agent_group.configure', id: group, packagesApt: ['vim'] })
      return ok({ image: 'x' })
    }
    await using administration = administrationOn(world, world, { buildImage })
    await administration.start()
    const id = await world.ask(sessionId, { subject: wishes.packages })
    await answered(world, administration, id, gina)
    expect(await ended(world, id)).toMatchObject({ status: 'failed' })
    expect((await loadContainerConfig(world.database.read, group))?.packagesApt).toEqual(['vim'])
  })

  it('an image that can’t be built leaves the group as it was, with the log of the build', async () => {
    await using world = await open()
    const { gina, group, sessionId } = await opened(world)
    const buildImage: AdministrationPorts['buildImage'] = async (_id, _settings, onLog) => {
      for (let n = 0; n < 3000; n += 1) onLog(`line ${n}`)
      return fail({ kind: 'unavailable', code: 'build_failed', message: 'Unable to locate package jq' })
    }
    const restarted: string[] = []
    await using administration = administrationOn(world, world, {
      buildImage,
      restartAgent: async (id) => restarted.push(id) > 0,
    })
    await administration.start()
    const id = await world.ask(sessionId, { subject: wishes.packages })
    await answered(world, administration, id, gina)
    expect(await ended(world, id)).toMatchObject({ status: 'failed', reason: 'Unable to locate package jq' })
    expect((await loadContainerConfig(world.database.read, group))?.packagesApt).toEqual([])
    expect(restarted).toEqual([])
    const lines = await world.database.read.selectFrom('ask_log').select('text').orderBy('seq').execute()
    expect(lines).toHaveLength(2000)
    expect(lines.at(-1)?.text).toBe('Failed: Unable to locate package jq')
  })

  it('a container is restarted with the message, and nothing is queued', async () => {
    await using world = await open()
    const { gina, sessionId } = await opened(world)
    const woken: { id: SessionId; text: string }[] = []
    await using administration = administrationOn(world, world, {
      restartAgent: async (id, { text }) => woken.push({ id, text }) > 0,
    })
    await administration.start()
    const id = await world.ask(sessionId, { subject: wishes.mcp_server })
    await answered(world, administration, id, gina)
    await ended(world, id)
    expect(woken).toEqual([{ id: sessionId, text: expect.stringContaining('The MCP server files was added') }])
    expect(await world.database.read.selectFrom('queue_items').selectAll().execute()).toEqual([])
  })

  it('an ask outlives its session; its outcome waits for the session that continues it', async () => {
    await using world = await open()
    const { gina, mel, group, sessionId } = await opened(world)
    await using administration = administrationOn(world, world)
    await administration.start()
    const id = await world.ask(sessionId, { subject: wishes.packages })
    await world.do({ type: 'session.cancel', id: sessionId, reason: null }, mel)
    expect((await askOf(world, id)).status).toBe('open')
    await answered(world, administration, id, gina)
    await ended(world, id)
    const next = newId<SessionId>()
    const session = { ...newSession(mel, { agentGroupId: group }), id: next }
    await world.do({ type: 'session.start', session, active: true, restartOf: sessionId }, mel)
    const items = await world.database.read.selectFrom('queue_items').select(['session_id', 'words']).execute()
    expect(items).toEqual([{ session_id: next, words: expect.stringContaining('Installed: jq') }])
  })

  it('nobody answers: global admins and then owners are asked too, once each, and then it expires', async () => {
    await using world = await open()
    const { gina, olu, sessionId } = await opened(world)
    const gil = await world.person('Gil')
    await world.do({ type: 'role.grant', userId: gil.userId, role: 'admin', agentGroupId: null })
    const id = await world.ask(sessionId, { subject: wishes.packages })
    const circle = async () => {
      const { circle: name, answerers } = await askOf(world, id)
      return [name, answerers]
    }
    const escalate = () => world.app.dispatch({ type: 'ask.escalate', id }, { kind: 'system', name: 'clock' })
    expect(await circle()).toEqual(['group', [gina.userId]])
    expect((await escalate()).ok).toBe(false)
    world.clock.advance(3600 * 1000)
    expect((await Promise.all([escalate(), escalate()])).filter((one) => one.ok)).toHaveLength(1)
    expect(await circle()).toEqual(['admins', [gina.userId, gil.userId]])
    world.clock.advance(3600 * 1000)
    expect((await escalate()).ok).toBe(true)
    expect(await circle()).toEqual(['owners', [gina.userId, gil.userId, olu.userId]])
    world.clock.advance(3600 * 1000)
    expect((await escalate()).ok).toBe(false)
    world.clock.advance(24 * 3600 * 1000)
    const due = await world.database.read.selectFrom('deadlines').select(['kind', 'subject_id']).execute()
    expect(due).toEqual([{ kind: 'ask', subject_id: id }])
    expect(Object.keys(deadlineKinds)).toContain('ask_escalation')
    await world.do({ type: 'ask.expire', id })
    expect((await askOf(world, id)).status).toBe('expired')
  })

  it('two people have to approve if the risk says so; asked are as many as that takes', async () => {
    await using world = await open()
    const { gina, olu, sessionId } = await opened(world)
    const two = { needed: 2, reviewers: [] }
    world.settings = { ...world.settings, routing: { low: { ...two, needed: 1 }, high: two, critical: two } }
    await using administration = administrationOn(world, world)
    await administration.start()
    const id = await world.ask(sessionId, { subject: wishes.packages })
    expect(await askOf(world, id)).toMatchObject({ needed: 2, circle: 'owners', answerers: [gina.userId, olu.userId] })
    await answered(world, administration, id, gina)
    expect((await askOf(world, id)).status).toBe('open')
    await answered(world, administration, id, olu)
    expect(await ended(world, id)).toMatchObject({ status: 'consumed' })
  })

  it('S9 credentials are heard of by admins of the server, and escalations by everyone who reads the session', async () => {
    await using world = await open()
    const { gina, mel, olu, sessionId } = await opened(world)
    const stan = await world.person('Stan')
    await using administration = administrationOn(world, world)
    await administration.start()
    const id = await world.ask(sessionId, { subject: wishes.credential })
    await answered(world, administration, id, gina, consentTo('credential'))
    await ended(world, id)
    const [row] = await world.database.read.selectFrom('credentials').select('id').execute()
    if (!row) throw new Error('no credential')
    await world.do({ type: 'credential.revoke', id: row.id }, gina)
    const late = await world.ask(sessionId, { subject: wishes.packages })
    world.clock.advance(3600 * 1000)
    await world.do({ type: 'ask.escalate', id: late })
    const { read, flavor } = world.database
    const wanted = ['credential.granted', 'credential.revoked', 'ask.escalated']
    const heardBy = async (actor: Person) => {
      const viewer = viewerOf(await world.app.read.standing(actor))
      const events = await readEvents(read, flavor, { after: start, limit: 5000, viewer })
      return wanted.filter((type) => events.some((event) => event.type === type))
    }
    // PostgreSQL shows events once no older transaction of the cluster runs.
    await until(async () => (await heardBy(olu)).length === wanted.length)
    expect([await heardBy(olu), await heardBy(gina), await heardBy(mel), await heardBy(stan)]).toEqual([
      wanted,
      ['ask.escalated'],
      ['ask.escalated'],
      [],
    ])
  })
})
