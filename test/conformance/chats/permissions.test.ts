import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { newPerson, signIn } from '../people.ts'
import type { Shown, Speaker } from './driver.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'

/**
 * Who may do what with a session of `self`, on each platform: identities come in other frames there. Every command and
 * button is in `test/security/chat-matrix`, on Slack. `owner`: told that its owner can do this. `none`: told that there is
 * no such session. `-`: silence, and counted.
 */
const table = {
  press: {
    own: 'owner',
    adm: 'owner',
    gadm: 'owner',
    oadm: 'owner',
    memb: 'owner',
    link: 'owner',
    strn: '-',
    dlg: 'ok',
    self: 'ok',
  },
  stop: {
    own: 'owner',
    adm: 'owner',
    gadm: 'owner',
    oadm: 'none',
    memb: 'owner',
    link: 'none',
    strn: '-',
    dlg: 'ok',
    self: 'ok',
  },
  show: { own: 'ok', adm: 'ok', gadm: 'ok', oadm: 'none', memb: 'ok', link: 'none', strn: '-', dlg: 'ok', self: 'ok' },
} as const
type Act = keyof typeof table
type Caller = keyof (typeof table)['press']
const callers = Object.keys(table.press) as Caller[]
const told = { owner: /Only the owner of the session can do this/, none: /No such session/ }

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  let people: Record<Caller, Speaker>
  let delegate: (sessionId: string) => Promise<unknown>
  let files = 0

  beforeAll(async () => {
    harness = await openChatsHarness(open)
    const { api, groupId } = harness
    const other = await api.post<{ id: string }>('/api/agent-groups', { name: 'Other', agent: 'practice' })
    const withRole = async (name: string, role: string, agentGroupId?: string) => {
      const person = await harness.linked(name)
      await api.post(`/api/users/${person.userId}/roles`, { role, ...(agentGroupId && { agentGroupId }) })
      return person
    }
    const [self, dlg, memb] = [await harness.member('self'), await harness.linked('dlg'), await harness.linked('memb')]
    await api.put(`/api/agent-groups/${groupId}/members/${memb.userId}`)
    people = {
      own: await withRole('own', 'owner'),
      adm: await withRole('adm', 'admin'),
      gadm: await withRole('gadm', 'admin', groupId),
      oadm: await withRole('oadm', 'admin', other.id),
      memb,
      link: await linksItself(),
      strn: harness.driver.person('strn'),
      dlg,
      self,
    }
    const own = (await signIn(harness.server, self.userId)).api
    delegate = (id) => own.put(`/api/sessions/${id}/delegates/${dlg.userId}`)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** Somebody with an account and nothing else. */
  async function linksItself(): Promise<Speaker> {
    const [speaker, { api }] = [harness.driver.person('link'), await newPerson(harness.server, 'link')]
    const { code } = await api.post<{ code: string }>('/api/me/link-codes')
    speaker.commands(`link ${code}`)
    await until(() => speaker.toldPrivately().some((text) => text.includes('You are link here')), { what: 'a link' })
    return speaker
  }

  type Subject = { readonly id: string; readonly root: string; readonly card: Shown }

  /** A session of `self` that waits for an answer. */
  async function newSubject(): Promise<Subject> {
    files += 1
    const root = people.self.mentions(`/write file-${files}.txt Hello there.`)
    const card = await harness.card(root)
    const { id } = await until(async () => (await harness.sessions()).find(({ threadId }) => threadId === root), {
      what: 'the session',
    })
    await delegate(id)
    return { id, root, card }
  }

  const acts: Record<Act, (by: Speaker, subject: Subject) => void> = {
    press: (by, { card }) => by.clicks(card, 'Approve'),
    stop: (by, { id }) => by.commands(`stop ${id.slice(0, 8)}`),
    show: (by, { id }) => by.commands(`show ${id.slice(0, 8)}`),
  }
  const isAnswered = ({ root, card }: Subject) =>
    harness.driver
      .posted(root)
      .some(({ id, text, buttons }) => id === card.id && buttons.length === 0 && text.includes('Approved by'))
  const statusOf = async ({ id }: Subject) => (await harness.sessions()).find((one) => one.id === id)?.status
  const done: Record<Act, (subject: Subject, by: Speaker) => Promise<boolean>> = {
    press: async (subject) => isAnswered(subject),
    stop: async (subject) => (await statusOf(subject)) === 'cancelled',
    show: async ({ id }, by) => by.toldPrivately().join().includes(id.slice(0, 8)),
  }
  const counted = async ({ identity }: Speaker) =>
    (await harness.api.list<{ identity: string; messageCount: number }>('/api/strangers'))
      .filter((one) => one.identity === identity)
      .reduce((sum, { messageCount }) => sum + messageCount, 0)

  it.each(Object.keys(table) as Act[])('S9 R3 %s: only for whom it is, and a refusal changes nothing', async (act) => {
    const shared = await newSubject()
    const refused = callers.filter((caller) => table[act][caller] !== 'ok')
    for (const caller of refused) {
      const [by, cell] = [people[caller], table[act][caller]]
      const refusals = () =>
        by.toldPrivately().filter((text) => cell !== '-' && told[cell as keyof typeof told].test(text))
      const [before, count] = [refusals().length, await counted(by)]
      acts[act](by, shared)
      if (cell !== '-') await until(() => refusals().length > before, { what: `a refusal for ${caller}` })
      else await until(async () => (await counted(by)) > count, { what: `a count of ${caller}` })
    }
    expect(people.strn.toldPrivately()).toEqual([])
    expect([isAnswered(shared), await statusOf(shared)]).toEqual([false, 'active'])
    for (const caller of callers.filter((one) => table[act][one] === 'ok')) {
      const subject = act === 'show' ? shared : await newSubject()
      acts[act](people[caller], subject)
      await until(() => done[act](subject, people[caller]), { what: `${act} works for ${caller}` })
    }
  })
})
