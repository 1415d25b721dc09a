import { describe, expect, it } from 'vitest'
import { answers as samples } from '../../test/app/samples.ts'
import { openWorld } from '../../test/world.ts'
import { fail, ok } from '../lib/result.ts'
import { createAnswers } from './answers.ts'

const still = new AbortController().signal

async function setUp(world: Awaited<ReturnType<typeof openWorld>>) {
  const ann = await world.person()
  const sessionId = await world.session(ann)
  return {
    answers: createAnswers(world.app),
    ask: () => world.ask(sessionId),
    answer: (id: Awaited<ReturnType<typeof world.ask>>) =>
      world.do({ type: 'ask.answer', id, answer: samples.approve }, ann),
  }
}

describe('an answer', () => {
  it('that comes before anyone waits still counts as waited for', async () => {
    await using world = await openWorld('sqlite')
    const { answers, ask, answer } = await setUp(world)
    const id = await ask()
    await answers.expect(id, async () => ok(undefined))
    await answer(id)
    expect(answers.heard(id)).toBe(true)
    expect(await answers.wait(id, still)).toMatchObject({ id, status: 'answered' })
    expect(answers.heard(id)).toBe(true)
  })

  it('to an ask that could not be opened, or whose asker is gone, does not', async () => {
    await using world = await openWorld('sqlite')
    const { answers, ask } = await setUp(world)
    const id = await ask()
    await answers.expect(id, async () => fail({ kind: 'conflict', code: 'session_over', message: 'It is over.' }))
    expect(answers.heard(id)).toBe(false)
    await answers.expect(id, async () => fail({ kind: 'conflict', code: 'ask_exists', message: 'It is there.' }))
    const leaving = new AbortController()
    const waiting = answers.wait(id, leaving.signal)
    leaving.abort()
    expect(await waiting).toBeNull()
    expect(answers.heard(id)).toBe(false)
  })
})
