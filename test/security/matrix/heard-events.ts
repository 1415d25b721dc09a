import type { Api } from '../../support/api.ts'
import { openEvents, type LogEvent, type Reader } from '../../support/sse.ts'
import { until } from '../../support/until.ts'
import { callerNames, type CallerName } from './callers.ts'
import type { MatrixSetup } from './setup.ts'
import { isOpen } from './open.ts'
import { titleOf, type Row } from './table.ts'

const listeners = callerNames.slice(0, callerNames.indexOf('rvkd'))

/** Events of clocks and programs are made in matrix-events.test.ts, on a server with short times. */
export const isMadeElsewhere = (note: string): boolean => note.startsWith('matrix-events')
/** No request makes them yet: who hears them is checked by test/app/chat-events.test.ts and administration.test.ts. */
export const isMadeByCore = (note: string): boolean => /^(chat-(events|threads)|administration)/.test(note)

/** The events that each kind of caller gets, from the beginning of the log and live. */
export type HeardEvents = AsyncDisposable & {
  /** Waits until every caller has all events. */
  settle(): Promise<void>
  all(): readonly LogEvent[]
  /** Cells of an event's row that do not hold. */
  check(row: Row): Promise<string[]>
}

export async function listenToAll(setup: MatrixSetup): Promise<HeardEvents> {
  const first = (await setup.owner.send('GET', '/api/audit/export')).text.split('\n')[0] ?? ''
  const { cursor } = JSON.parse(first) as LogEvent
  const byCaller = new Map(listeners.map((caller) => [caller, listen(setup.api(caller), cursor)]))
  const heardBy = (caller: CallerName) => byCaller.get(caller)?.heard ?? new Map<string, LogEvent>()

  /** The agent of the session an event is about, which listens on request. */
  async function ofItsAgent({ id, sessionId }: LogEvent): Promise<boolean> {
    const agentToken = setup.agents.get(sessionId ?? '')
    if (agentToken === undefined || sessionId === null) return false
    const one = listen(setup.api('agnt', { id: sessionId, agentToken }), cursor)
    const came = await until(() => one.heard.has(id)).catch(() => false)
    await one.close()
    return came
  }

  async function cell(row: Row, caller: CallerName, sample: LogEvent): Promise<string | null> {
    const expected = row.cells[caller]
    const heard = caller === 'agnt' && expected === 'hear' ? await ofItsAgent(sample) : heardBy(caller).has(sample.id)
    const got = heard ? 'hear' : '-'
    return got === expected ? null : `${titleOf(row)}, ${caller}: expected ${expected}, got ${got}`
  }

  return {
    all: () => [...heardBy('own').values()],
    async settle() {
      const { persons } = setup
      await Promise.all(
        Object.entries(persons).map(([name, { id, api }]) =>
          api.patch(`/api/users/${id}`, { displayName: `Last ${name}` }),
        ),
      )
      const loose = await setup.api('loos').post<{ id: string }>('/api/sessions', {
        protocolMode: 'mcp',
        repoId: setup.repo.id,
      })
      await say(setup.api('loos'), loose.id)
      await say(setup.api('agnt'), setup.some.id)
      await say(setup.api('othr'), setup.other.id)
      const last: Partial<Record<CallerName, string>> = { loos: loose.id, agnt: setup.some.id, othr: setup.other.id }
      for (const caller of listeners) {
        const person = Object.entries(persons).find(([name]) => name === caller)?.[1] ?? persons.self
        const isLast = ({ type, data, sessionId }: LogEvent) =>
          last[caller] === undefined
            ? type === 'user.renamed' && data['id'] === person.id
            : type === 'message.added' && sessionId === last[caller]
        await until(() => [...heardBy(caller).values()].some(isLast), { what: `the last event for ${caller}` })
      }
    },
    async check(row) {
      const samples = samplesOf(row, [...heardBy('own').values()], setup)
      if (samples.length === 0) return [`${titleOf(row)}: there was no such event to hear`]
      const lines: string[] = []
      for (const caller of listeners) {
        const results = await Promise.all(samples.map((sample) => cell(row, caller, sample)))
        const wrong = results.find((line) => line !== null)
        if (!isOpen(titleOf(row), caller)) lines.push(...(wrong ? [wrong] : []))
        else if (!wrong) lines.push(`${titleOf(row)}, ${caller}: closed by now; take it out of open.ts`)
      }
      return lines
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...byCaller.values()].map((one) => one.close()))
    },
  }
}

const most = 3

/** The last events of that type about the subject of the row. */
function samplesOf({ name, variant }: Row, all: readonly LogEvent[], setup: MatrixSetup): LogEvent[] {
  const { self } = setup.persons
  // Events from before it was shared are not visible to those it is shared with.
  const lent = new Set<string>()
  const isShared = ({ sessionId }: LogEvent) => setup.agents.has(sessionId ?? '') && sessionId !== setup.other.id
  const fits = (event: LogEvent): boolean => {
    if (variant === 'of somebody') return event.ownerUserId !== null && !isCaller(setup, event.ownerUserId)
    const isOfGroup = event.stream === setup.group && name.startsWith('template.')
    if (variant === 'of a group' || isOfGroup) return isOfGroup && variant === 'of a group'
    if (variant === 'a closed repo') return event.stream === setup.closedRepo.id
    if (variant === 'for everyone') return event.stream === setup.repo.id
    if (event.sessionId !== null) return isShared(event) && (lent.has(event.sessionId) || isFirst.test(name))
    return event.ownerUserId === null || event.ownerUserId === self.id
  }
  const chosen = all.filter((event) => {
    const chosenNow = event.type === name && fits(event)
    if (event.type === 'session.delegated' && event.sessionId !== null) lent.add(event.sessionId)
    return chosenNow
  })
  return chosen.slice(-most)
}

const isFirst = /^(?:session\.(?:started|delegated)|terminal\.opened)$/
const isCaller = ({ persons }: MatrixSetup, id: string) => Object.values(persons).some((person) => person.id === id)

const say = (api: Api, id: string) =>
  api.post(`/api/sessions/${id}/messages`, { role: 'agent', content: { type: 'text', text: 'last' } })

/** Listens, and reconnects where it was cut off, because access may have changed. */
function listen(api: Api, from: string) {
  const heard = new Map<string, LogEvent>()
  let reader: Reader | null = null
  let lastEventId = from
  const over = new AbortController()
  const listening = (async () => {
    while (!over.signal.aborted) {
      reader = await openEvents(api, { lastEventId })
      const { heard: events, ended } = reader
      const take = () => {
        for (const event of events) heard.set(event.id, event)
      }
      const looking = setInterval(take, 20)
      await ended
      clearInterval(looking)
      take()
      lastEventId = reader.lastId() ?? lastEventId
    }
  })()
  return {
    heard,
    async close() {
      over.abort()
      reader?.close()
      await listening
    },
  }
}
