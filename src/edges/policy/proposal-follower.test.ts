import { expect, it } from 'vitest'
import { describeUsual, system, until, type Person, type World } from '../../../test/world.ts'
import type { Follower } from '../../app/follow.ts'
import type { Answer } from '../../domain/ask/answer.ts'
import type { AskSubject } from '../../domain/ask/subject.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { proposalFollower } from './proposal-follower.ts'

/** One node, which needs no lease. */
const unguarded = async () => {}

const root = '/work'
const always: Answer = { outcome: 'approve', always: true, reason: null }
const once: Answer = { outcome: 'approve', always: false, reason: null }
const make = (command: string): AskSubject => ({ kind: 'command', command, cwd: root })

/** Answers, and passes the events to the follower. */
async function setUp(world: World) {
  const owner = await world.person()
  await world.do({ type: 'role.grant', userId: owner.userId, role: 'owner', agentGroupId: null }, system)
  const sessionId = await world.session(owner, { workspaceRoot: root })
  const heard: Parameters<Follower['handle']>[0][] = []
  const listening = world.app.tail.listen((events) => void heard.push(...events))
  const follower = proposalFollower(world.app)
  async function answer(subject: AskSubject, given: Answer, by: Person = owner, of: SessionId = sessionId) {
    const id = await world.ask(of, { subject })
    await world.do({ type: 'ask.answer', id, answer: given }, by)
    const event = await until(() => heard.find(({ type, data }) => type === 'ask.answered' && data['id'] === id))
    await follower.handle(event, unguarded)
    return { id, again: () => follower.handle(event, unguarded) }
  }
  async function rules() {
    const found = await world.app.read.policyRules(await world.app.read.standing(owner), { workspaceRoot: root })
    if (!found.ok) throw new Error(found.fault.message)
    return found.value
  }
  return { owner, answer, rules, listening }
}

describeUsual('what "always" proposes', (open) => {
  it('B3 proposes the rule, with how often people approved the same thing, and confirms nothing', async () => {
    await using world = await open()
    const { owner, answer, rules, listening } = await setUp(world)
    using _listening = listening
    await answer(make('make lint'), once)
    await answer(make('make other'), once)
    await answer(make('make lint'), { outcome: 'reject', reason: null })
    expect(await rules()).toEqual([])
    const { id } = await answer(make('make lint'), always)
    expect(await rules()).toMatchObject([
      {
        rule: { kind: 'command', pattern: 'make lint' },
        status: 'proposed',
        askId: id,
        evidence: 2,
        proposedBy: `user:${owner.userId}`,
        decidedBy: null,
      },
    ])
    expect(await world.app.read.confirmedRules(root)).toEqual([])
  })

  it('B3 proposes it once if the event is handled twice', async () => {
    await using world = await open()
    const { answer, rules, listening } = await setUp(world)
    using _listening = listening
    const { again } = await answer(make('make lint'), always)
    await again()
    await answer(make('make lint'), always)
    expect(await rules()).toHaveLength(1)
  })

  it('B3 "always" of an agent’s own options is one too', async () => {
    await using world = await open()
    const { answer, rules, listening } = await setUp(world)
    using _listening = listening
    const subject: AskSubject = {
      kind: 'permission',
      toolCall: { kind: 'execute', args: { command: 'make lint' } },
      options: [
        { optionId: 'once', name: 'Once', kind: 'allow_once' },
        { optionId: 'always', name: 'Always', kind: 'allow_always' },
        { optionId: 'never', name: 'Never', kind: 'reject_always' },
      ],
    }
    await answer(subject, { outcome: 'select', optionId: 'once', reason: null })
    await answer(subject, { outcome: 'select', optionId: 'never', reason: null })
    expect(await rules()).toEqual([])
    await answer(subject, { outcome: 'select', optionId: 'always', reason: null })
    expect(await rules()).toMatchObject([{ rule: { kind: 'command', pattern: 'make lint' }, evidence: 2 }])
  })

  it('B3 proposes nothing for what is never automatic', async () => {
    await using world = await open()
    const { answer, rules, listening } = await setUp(world)
    using _listening = listening
    for (const subject of [
      make('sudo make'),
      make('make; id'),
      { kind: 'command', command: 'make', cwd: '/elsewhere' },
      { kind: 'diff', filePath: '.envrc', diff: 'x', files: [] },
      { kind: 'diff', filePath: '../x', diff: 'x', files: [] },
    ] satisfies AskSubject[])
      await answer(subject, always)
    expect(await rules()).toEqual([])
  })
})
