import { expect, it } from 'vitest'
import { AgentGroupCommand } from '../../src/domain/agent-group/schema.ts'
import { ScheduleCommand } from '../../src/domain/schedule/schema.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { describeBoth, workRepo, type Person } from '../world.ts'
import { armed, ended, hour, plan, runs, serve, started, state } from './schedules-harness.ts'

describeBoth('C8 whose schedules', (open) => {
  it('a creator who lost the right: the run fails with the reason, and the series continues', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const id = await plan(world, ann, { cron: '0 * * * *' })
    await world.do({ type: 'repo.set_access', id: workRepo.id, everyone: false, users: [], agentGroups: [] })
    await armed(world, Date.parse('2030-01-01T01:00:00Z'))
    world.clock.advance(hour)
    const [run] = await ended(world, id, 1)
    expect(run).toMatchObject({ status: 'failed', sessionId: null })
    expect(run?.reason).toMatch(/repo|machine right/)
    expect(await state(world, id)).toMatchObject({ status: 'active', failuresInARow: 1 })
    await world.do({ type: 'repo.set_access', id: workRepo.id, everyone: true, users: [], agentGroups: [] })
    await armed(world, Date.parse('2030-01-01T02:00:00Z'))
    world.clock.advance(hour)
    await started(world, id)
  })

  it('cancel ends it; records stay, and what waits is skipped', async () => {
    await using world = await open()
    const ann = await world.person()
    const id = await plan(world, ann, { every: '1h' })
    await world.do({ type: 'schedule.run_now', id, runId: newId() }, ann)
    await world.do({ type: 'schedule.cancel', id }, ann)
    expect(await runs(world, id)).toMatchObject([{ status: 'skipped', reason: 'The schedule was cancelled.' }])
    expect(await world.refused({ type: 'schedule.resume', id }, ann)).toMatchObject({ code: 'schedule_not_found' })
    expect(await world.database.read.selectFrom('deadlines').selectAll().execute()).toEqual([])
  })

  it('belongs to its creator: admins can stop it, others do not learn that it exists', async () => {
    await using world = await open()
    const ann = await world.person()
    const bob = await world.person('Bob')
    const admin = await world.person('Ada')
    await world.do({ type: 'role.grant', userId: admin.userId, role: 'admin', agentGroupId: null })
    const id = await plan(world, ann, { every: '1h' })
    const change = { type: 'schedule.update' as const, id, prompt: 'Something else' }
    expect(await world.refused(change, bob)).toMatchObject({ code: 'schedule_not_found' })
    expect(await world.refused(change, admin)).toMatchObject({ code: 'not_owner' })
    expect(await world.refused({ type: 'schedule.run_now', id, runId: newId() }, admin)).toMatchObject({
      code: 'not_owner',
    })
    expect(await world.refused({ type: 'schedule.fall_due', id }, ann)).toMatchObject({ code: 'not_for_callers' })
    await world.do({ type: 'schedule.pause', id }, admin)
    expect(await state(world, id)).toMatchObject({ status: 'paused' })
    expect(await world.refused({ type: 'schedule.resume', id }, admin)).toMatchObject({ code: 'not_owner' })
    const elsewhere = { type: 'schedule.create', id: newId(), prompt: 'x', every: '1h', workspaceRoot: '/etc' }
    expect(await world.refused(ScheduleCommand.parse(elsewhere), ann)).toMatchObject({ code: 'needs_machine' })
  })

  it('an agent schedules for its own session and group, as its owner, and reaches no others', async () => {
    await using world = await open()
    const ann = await world.person()
    const bob = await world.person('Bob')
    const agentOf = async (owner: Person, more: object = {}): Promise<Actor> => ({
      kind: 'agent',
      userId: owner.userId,
      tokenId: null,
      sessionId: await world.session(owner, {
        protocolMode: 'acp',
        repoId: workRepo.id,
        isolation: 'sandbox',
        ...more,
      }),
    })
    const group = newId<AgentGroupId>()
    const made = { type: 'agent_group.create', id: group, name: 'Helpers', repoId: workRepo.id }
    await world.do(AgentGroupCommand.parse(made))
    for (const { userId } of [ann, bob]) await world.do({ type: 'member.add', agentGroupId: group, userId })
    const first = await agentOf(ann, { agentGroupId: group })
    const second = await agentOf(ann, { agentGroupId: group })
    const alone = await agentOf(ann)
    const foreign = await agentOf(bob, { agentGroupId: group })
    const id = await plan(world, first, { every: '1h' })
    expect(await state(world, id)).toMatchObject({
      ownerUserId: ann.userId,
      agentGroupId: group,
      isolation: 'sandbox',
      madeBy: first.kind === 'agent' ? first.sessionId : null,
    })
    const pause = { type: 'schedule.pause' as const, id }
    for (const other of [alone, foreign])
      expect(await world.refused(pause, other)).toMatchObject({ code: 'schedule_not_found' })
    await world.do(pause, second)
    const seen = async (actor: Actor) => {
      const found = await world.app.read.schedules(
        { actor, grants: [], memberOf: [], unknown: false },
        { limit: 10, offset: 0 },
      )
      return found.ok ? found.value.map((one) => one.id) : []
    }
    expect(await seen(second)).toEqual([id])
    expect(await seen(alone)).toEqual([])
    expect(await seen(foreign)).toEqual([])
    const mcp = { ...(await agentOf(ann, { protocolMode: 'mcp', isolation: null })) }
    const fresh = ScheduleCommand.parse({ type: 'schedule.create', id: newId(), prompt: 'x', every: '1h' })
    expect(await world.refused(fresh, mcp)).toMatchObject({ code: 'not_permitted' })
    const free = await world.machineUser()
    const unconfined = await agentOf(free, { isolation: 'none' })
    expect(await world.refused({ ...fresh, precheck: 'true' } as never, unconfined)).toMatchObject({
      code: 'not_permitted',
    })
  })

  it('a creator who was removed: the run fails, and says why', async () => {
    await using world = await open()
    await using _server = serve(world)
    const ann = await world.person()
    const id = await plan(world, ann, { cron: '0 * * * *' })
    await world.do({ type: 'user.remove', id: ann.userId })
    await armed(world, Date.parse('2030-01-01T01:00:00Z'))
    world.clock.advance(hour)
    expect(await ended(world, id, 1)).toMatchObject([{ status: 'failed', sessionId: null }])
    expect(await state(world, id)).toMatchObject({ status: 'active' })
  })
})
