import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { figure, scale } from '../support/scale.ts'
import { approve, type Agent, type FullAsk, type McpHarness } from './mcp-harness.ts'
import { openOperationsHarness } from './operations-harness.ts'
import { me, newPerson } from './people.ts'

type Answered = FullAsk & {
  answer: { outcome: string; reason: string | null }
  answeredBy: string
  answeredAt: string
  automatic: boolean
  approvedBy: string | null
  retractedAt: string | null
  mayRetract?: true
}
type Page = { asks: Answered[]; next: string | null }

describe('the history of answers, and approvals that are taken back', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openOperationsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Approved, and not applied yet. */
  async function approved(agent: Agent, file_path = 'a.txt', diff = 'two\n'): Promise<string> {
    const { ask, done } = await agent.begin('ask_approval', { title: `Write ${file_path}`, file_path, diff })
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ isError: false })
    return ask.id
  }
  const get = (id: string) => harness.owner.get<Answered>(`/api/asks/${id}`)
  const history = (filter = '') => harness.owner.get<Page>(`/api/asks?order=answered${filter}`)

  it('B18 an approval that is not used yet is retracted: the agent is told, and nothing is written', async () => {
    await using agent = await harness.connect()
    await agent.place.write('a.txt', 'one\n')
    const id = await approved(agent)
    const owner = `user:${await me(harness.owner)}`
    expect(await get(id)).toMatchObject({ mayRetract: true, retractedAt: null })
    const retracted = await harness.owner.post<Answered>(`/api/asks/${id}/retract`, { reason: 'wrong branch' })
    expect(retracted).toMatchObject({
      status: 'answered',
      answer: { outcome: 'reject', reason: 'wrong branch' },
      answeredBy: owner,
      approvedBy: owner,
      retractedAt: expect.any(String),
    })
    expect(retracted.mayRetract).toBeUndefined()
    expect(await agent.call('accept_diff', { request_id: id })).toMatchObject({
      isError: true,
      error_code: 'not_approved',
    })
    const asked = JSON.stringify(await agent.call('ask_approval', { request_id: id }))
    expect(asked).toContain('reject')
    expect(asked).toContain('wrong branch')
    expect(await agent.place.read('a.txt')).toBe('one\n')
    const { events } = await harness.owner.get<{ events: { type: string; actor: string }[] }>(
      `/api/audit?session=${agent.sessionId}&type=ask.retracted`,
    )
    expect(events).toMatchObject([{ actor: owner }])
    expect(await harness.owner.refused('POST', `/api/asks/${id}/retract`, {})).toMatchObject({
      status: 409,
      code: 'already_retracted',
    })
  })

  it('B18 what is open, rejected, applied or went to the agent at once can not be retracted', async () => {
    await using agent = await harness.connect()
    const refused = async (id: string) => (await harness.owner.refused('POST', `/api/asks/${id}/retract`, {})).code
    const open = await agent.begin('ask_approval', { title: 'A', file_path: 'a.txt', diff: 'two\n' })
    expect(await refused(open.ask.id)).toBe('nothing_to_retract')
    await harness.answer(open.ask, { outcome: 'reject' })
    await open.done
    expect(await refused(open.ask.id)).toBe('nothing_to_retract')
    const id = await approved(agent)
    await agent.call('accept_diff', { request_id: id })
    expect(await refused(id)).toBe('already_consumed')
    expect(await agent.place.read('a.txt')).toBe('two\n')
    const command = { title: 'Run it', subject: { kind: 'command', command: 'make', cwd: agent.place.path } }
    const run = await harness.owner.post<FullAsk>(`/api/sessions/${agent.sessionId}/asks`, command)
    await harness.answer(run, approve)
    expect(await refused(run.id)).toBe('nothing_to_retract')
  })

  it('B18 of a retraction and a use at once exactly one wins', async () => {
    await using agent = await harness.connect()
    const rounds = scale({ test: 30, long: 100 })
    let retractions = 0
    for (let round = 0; round < rounds; round += 1) {
      const path = `round-${round}.txt`
      const id = await approved(agent, path, 'written\n')
      const retract = harness.owner.send('POST', `/api/asks/${id}/retract`, { body: {} })
      // A new connection takes longer than the agent's, so in half of the rounds the use waits for another one.
      if (round % 2 === 1) await get(id)
      const [used, retracted] = await Promise.all([agent.call('accept_diff', { request_id: id }), retract])
      const written = (await agent.place.read(path)) !== null
      expect([retracted.status === 200, !used.isError, written]).toEqual(
        written ? [false, true, true] : [true, false, false],
      )
      expect((await get(id)).status).toBe(written ? 'consumed' : 'answered')
      if (!written) retractions += 1
    }
    expect(retractions).toBeGreaterThan(0)
    expect(retractions).toBeLessThan(rounds)
    figure('retraction against use', `${rounds} rounds, ${retractions} won by the retraction`)
  })

  it('B18 of several retractions at once one is done', async () => {
    await using agent = await harness.connect()
    const id = await approved(agent)
    const sent = await Promise.all(
      Array.from({ length: 4 }, () => harness.owner.send('POST', `/api/asks/${id}/retract`, { body: {} })),
    )
    expect(sent.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
  })

  it('B18 R3 who may answer may retract: a delegate, no stranger, no agent', async () => {
    await using agent = await harness.connect()
    const id = await approved(agent)
    const [ann, bea] = [await newPerson(harness.server, 'Ann'), await newPerson(harness.server, 'Bea')]
    await harness.owner.put(`/api/sessions/${agent.sessionId}/delegates/${bea.id}`)
    expect((await ann.api.refused('POST', `/api/asks/${id}/retract`, {})).status).toBe(404)
    expect((await harness.server.api(harness.token).refused('POST', `/api/asks/${id}/retract`, {})).status).toBe(403)
    expect(await bea.api.get(`/api/asks/${id}`)).toMatchObject({ mayRetract: true })
    expect(await bea.api.post(`/api/asks/${id}/retract`, {})).toMatchObject({ answeredBy: `user:${bea.id}` })
  })

  it('B18 the history lists answers by when they were given, with filters and pages', async () => {
    await using agent = await harness.connect()
    const carl = await newPerson(harness.server, 'Carl')
    await harness.owner.put(`/api/sessions/${agent.sessionId}/delegates/${carl.id}`)
    const here = `&sessionId=${agent.sessionId}`
    const questions = { kind: 'question', question: 'Which?', options: [], freeText: true }
    const open = (title: string, subject: unknown) =>
      harness.owner.post<FullAsk>(`/api/sessions/${agent.sessionId}/asks`, { title, subject })
    const first = await open('First', questions)
    const second = await open('Second', { kind: 'command', command: 'ls', cwd: '/' })
    await open('Third', questions)
    // Answered in another order than asked.
    await harness.answer(second, approve)
    await carl.api.post(`/api/asks/${first.id}/answer`, { outcome: 'reply', value: 'x' })
    const titles = async (filter: string) => (await history(here + filter)).asks.map(({ title }) => title)
    expect(await titles('')).toEqual(['First', 'Second'])
    expect(await titles(`&answeredBy=${carl.id}`)).toEqual(['First'])
    expect(await titles('&kind=command')).toEqual(['Second'])
    expect(await titles('&automatic=true')).toEqual([])
    expect(await titles('&automatic=false')).toEqual(['First', 'Second'])
    const page = await history(`${here}&limit=1`)
    expect(page.asks.map(({ title }) => title)).toEqual(['First'])
    expect(await titles(`&limit=1&before=${page.next}`)).toEqual(['Second'])
    expect((await carl.api.get<Page>('/api/asks?order=answered')).asks.map(({ title }) => title)).toEqual([
      'First',
      'Second',
    ])
  })

  it('B18 from the command line', async () => {
    await using agent = await harness.connect()
    const id = await approved(agent, 'line.txt')
    const list = () => harness.server.cli('asks', '--answered', '--by', 'me', '--session', agent.sessionId)
    expect((await list()).stdout).toMatch(/Approved .*Write line\.txt .*not used yet[^]*retract/)
    const done = await harness.server.cli('retract', id, '--reason', 'not like this')
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('Retracted: Write line.txt') })
    expect((await list()).stdout).toMatch(/Retracted .*Write line\.txt/)
    expect((await harness.server.cli('asks', 'show', id)).stdout).toMatch(/Retracted: not like this/)
    expect((await harness.server.cli('retract', id)).code).toBe(6)
    expect((await harness.server.cli('catch-up', '--since', '1h')).stdout).toMatch(/Approval retracted by/)
  })
})
