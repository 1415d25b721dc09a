import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  fault,
  floodWords,
  lastTurn,
  openAcpHarness,
  peakMegabytes,
  rogue,
  textOf,
  watchBystander,
  type AgentSession,
  type AcpHarness,
} from '../support/acp-harness.ts'
import { until } from '../support/until.ts'

const flood = 100_000
const mostMegabytes = 300
const quickMs = 5000

/** One turn of a misbehaving agent while another session works; the other one must not notice. */
async function turnOf(harness: AcpHarness, agent: string, seconds = 30): Promise<AgentSession> {
  const bystander = await watchBystander(harness)
  const session = await harness.start(agent)
  await harness.settled(await harness.prompt(session, 'go'), seconds)
  await expectUnharmed(bystander)
  return session
}

async function expectUnharmed(bystander: Awaited<ReturnType<typeof watchBystander>>): Promise<void> {
  const { text, expected, answeredMs } = await bystander.unharmed()
  expect(text).toBe(expected)
  expect(answeredMs).toBeLessThan(quickMs)
}

const saidBy = async (harness: AcpHarness, session: AgentSession) =>
  textOf(lastTurn((await harness.detail(session)).messages))

/** Everything it printed has been read and need not be read again. */
async function expectReadThrough(harness: AcpHarness, session: AgentSession): Promise<void> {
  using database = new DatabaseSync(join(harness.server.home, 'signalbox.db'), { readOnly: true })
  const offsets = database.prepare('select read_offset as at from agents where session_id = ?')
  const at = () => (offsets.get(session.id) as { at: number }).at
  const before = at()
  await harness.settled(await harness.prompt(session, 'again'))
  await until(() => at() > before, { what: 'that its output was read through' })
}

describe('an agent that sends nonsense', () => {
  it('is read as far as possible; each skipped line is named in the log', async () => {
    await using harness = await openAcpHarness({ faults: [fault('garbage')] })
    const session = await turnOf(harness, 'garbage')
    expect(await saidBy(harness, session)).toBe('before höálf and half after')
    const complaints = harness.complaints(session)
    expect(complaints.filter((line) => line.includes('not JSON'))).toHaveLength(3)
    expect(complaints.filter((line) => line.includes('not a message'))).toHaveLength(5)
    await expectReadThrough(harness, session)
    expect((await harness.detail(session)).status).toBe('active')
  })

  it('gets an error for an unknown request, and is read further', async () => {
    await using harness = await openAcpHarness({ faults: [fault('unknown')] })
    const session = await turnOf(harness, 'unknown')
    expect(await saidBy(harness, session)).toMatch(/still here$/)
    expect(harness.complaints(session).filter((line) => line.includes('an unknown request'))).toHaveLength(3)
    expect(harness.server.log()).toContain('from_the_future')
    await expectReadThrough(harness, session)
  })

  it('blocks nothing with calls that can’t be answered, or with repeated answers', async () => {
    await using harness = await openAcpHarness({ faults: [rogue('oddcalls'), rogue('twice')] })
    const session = await turnOf(harness, 'oddcalls')
    expect(await saidBy(harness, session)).toBe('before after')
    expect(await harness.asks(session)).toEqual([])
    await expectReadThrough(harness, session)
    const repeated = await harness.start('twice')
    await harness.settled(await harness.prompt(repeated, 'go'))
    await expectReadThrough(harness, repeated)
    expect(lastTurn((await harness.detail(repeated)).messages)).toHaveLength(1)
  })

  it.each(['sqlite', 'postgres'] as const)(
    'loses nothing because of characters a database does not accept (%s)',
    async (database) => {
      await using harness = await openAcpHarness({ database, faults: [rogue('oddletters')] })
      const session = await harness.start('oddletters')
      await harness.settled(await harness.prompt(session, 'go'))
      expect(await saidBy(harness, session)).toMatch(/^zero .*after$/s)
      await harness.settled(await harness.prompt(session, 'go'))
      expect(await saidBy(harness, session)).toMatch(/^zero .*after$/s)
    },
  )
})

describe('an agent that sends too much', () => {
  it('in one line of 100 MiB loses only that line', async () => {
    await using harness = await openAcpHarness({ faults: [fault('longline', '100')] })
    const session = await turnOf(harness, 'longline')
    expect(await saidBy(harness, session)).toBe('before after')
    expect(harness.complaints(session).filter((line) => line.includes('too long'))).toHaveLength(1)
    expect(peakMegabytes(harness.server.pid)).toBeLessThan(mostMegabytes)
    expect(peakMegabytes(harness.keeperPid() ?? 0)).toBeLessThan(mostMegabytes)
  })

  it('in one tool call just below the limit has it stored, in bounded memory', async () => {
    await using harness = await openAcpHarness({ faults: [rogue('bigtool', '15')] })
    const session = await turnOf(harness, 'bigtool')
    const peak = peakMegabytes(harness.server.pid)
    const { messages } = await harness.detail(session)
    expect(messages.find(({ content }) => content['type'] === 'tool')?.content).toMatchObject({ status: 'completed' })
    expect(textOf(lastTurn(messages))).toBe('after')
    expect(peak).toBeLessThan(mostMegabytes)
  })

  it('in 100,000 updates is read to the end, in order and in bounded memory', async () => {
    await using harness = await openAcpHarness({ faults: [fault('flood', String(flood))] })
    const session = await turnOf(harness, 'flood', 60)
    expect(await saidBy(harness, session)).toBe(floodWords(flood))
    expect(peakMegabytes(harness.server.pid)).toBeLessThan(mostMegabytes)
    expect(peakMegabytes(harness.keeperPid() ?? 0)).toBeLessThan(mostMegabytes)
  })

  it('in requests whose answers it never reads is read to the end, in bounded memory and with a short log', async () => {
    await using harness = await openAcpHarness({ faults: [rogue('requestflood', '8000')] })
    const bystander = await watchBystander(harness)
    const session = await harness.start('requestflood')
    await harness.prompt(session, 'go')
    // It ends with its turn, and that is noticed although nothing could be written to it any more.
    await harness.becomes(session, 'completed', 60)
    expect(await saidBy(harness, session)).toBe('after')
    await expectUnharmed(bystander)
    expect(peakMegabytes(harness.server.pid)).toBeLessThan(mostMegabytes)
    expect(harness.complaints(session).length).toBeLessThan(50)
  })

  it('on standard error is drained; the last of it is kept with the session', async () => {
    await using harness = await openAcpHarness({ faults: [fault('stderrflood')] })
    const session = await turnOf(harness, 'stderrflood')
    expect(await saidBy(harness, session)).toBe(floodWords(10))
    const kept = async () =>
      (await harness.server.api().get<{ text: string }>(`/api/sessions/${session.id}/stderr`)).text
    const live = await kept()
    expect(live).toMatch(/the last line of stderr\n$/)
    expect(live.length).toBeLessThanOrEqual(64 * 1024)
    await harness.server.api().post(`/api/sessions/${session.id}/complete`)
    await until(async () => (await kept()).endsWith('the last line of stderr\n'))
  })
})
