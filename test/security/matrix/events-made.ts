import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../../conformance/shapes.ts'
import { command, newToken } from '../../conformance/work.ts'
import { until } from '../../support/until.ts'
import type { MatrixSetup, Subject } from './setup.ts'
import { callTool } from './tool-call.ts'

/** A configuration with short deadlines: seconds instead of minutes and hours. */
export const quickClocks = `[stall]
inactivity_threshold_seconds = 1
escalation_threshold_seconds = 1
max_retries = 1
[timeouts]
approval_seconds = 3
prompt_seconds = 1
startup_grace_seconds = 0
[approvals]
critical_needs = 2
`

type Maker = (setup: MatrixSetup) => Promise<void>
type Alert = { id: string; status: string }

const tool = (setup: MatrixSetup, subject: Subject, name: string, input: Record<string, unknown> = {}) =>
  callTool(setup, setup.headers('agnt', subject), name, input)
const alertOf = (setup: MatrixSetup, { id }: Subject, status: string) =>
  until(
    async () =>
      (await setup.owner.get<{ alerts: Alert[] }>(`/api/alerts?sessionId=${id}`)).alerts.find(
        (alert) => alert.status === status,
      ) ?? null,
    { what: `an alert that is ${status}`, seconds: 30 },
  )

/** An agent that works, then goes silent. */
async function silent(setup: MatrixSetup): Promise<Subject> {
  const subject = await setup.session()
  await tool(setup, subject, 'remote_log', { message: 'at work' })
  return subject
}
const escalated: Maker = async (setup) => void (await alertOf(setup, await silent(setup), 'escalated'))
const recovered: Maker = async (setup) => {
  const subject = await silent(setup)
  await alertOf(setup, subject, 'nudged')
  await tool(setup, subject, 'heartbeat')
  await alertOf(setup, subject, 'self_recovered')
}
const lapsed: Maker = async (setup) => {
  const subject = await silent(setup)
  const { id } = await alertOf(setup, subject, 'nudged')
  await setup.persons.self.api.post(`/api/sessions/${subject.id}/stall`, { paused: true })
  const open = ['pending', 'nudged', 'escalated']
  await until(async () => !open.includes((await setup.owner.get<Alert>(`/api/alerts/${id}`)).status))
}

const ask = (setup: MatrixSetup, subject: Subject) =>
  setup
    .api('agnt', subject)
    .post<{ id: string }>(`/api/sessions/${subject.id}/asks`, { title: 'May I?', subject: command })
const becomes = (setup: MatrixSetup, id: string, status: string) =>
  until(async () => (await setup.owner.get<{ status: string }>(`/api/asks/${id}`)).status === status, {
    what: `an ask that is ${status}`,
  })

const expired: Maker = async (setup) => {
  const { id } = await ask(setup, await setup.session())
  await becomes(setup, id, 'expired')
}
const lifted: Maker = async (setup) => {
  const subject = await setup.session()
  await tool(setup, subject, 'forward_prompt', { prompt_text: 'It broke', prompt_type: 'error_recovery' })
  type Page = { events: { type: string }[] }
  const events = async () => (await setup.owner.get<Page>(`/api/audit?session=${subject.id}&limit=100`)).events
  await until(async () => (await events()).some(({ type }) => type === 'ask.expiry_lifted'))
}
const interrupted: Maker = async (setup) => {
  const subject = await setup.session()
  const { id } = await ask(setup, subject)
  await setup.persons.self.api.post(`/api/sessions/${subject.id}/terminate`, {})
  await becomes(setup, id, 'interrupted')
}
const always: Maker = async (setup) => {
  const input = { title: 'Mend it', file_path: `${randomUUID()}.txt`, diff: 'green\n' }
  const asked = await tool(setup, await setup.session(), 'ask_approval', input)
  const id = String(asked.answer.result?.structuredContent?.['request_id'])
  await setup.persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve', always: true })
  type Page = { rules: unknown[] }
  const proposed = async () => (await setup.owner.get<Page>('/api/policy/rules?status=proposed')).rules
  await until(async () => (await proposed()).length > 0, { what: 'a rule that is proposed' })
}

/** Approved, but then it no longer applies. */
const released: Maker = async (setup) => {
  const subject = await setup.session()
  const path = `${randomUUID()}.txt`
  const asked = await tool(setup, subject, 'ask_approval', { title: 'Mend it', file_path: path, diff: 'green\n' })
  const id = String(asked.answer.result?.structuredContent?.['request_id'])
  await setup.persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
  await writeFile(join(setup.repo.path, path), 'by somebody else\n')
  await tool(setup, subject, 'accept_diff', { request_id: id })
  await rm(join(setup.repo.path, path))
}
const voted: Maker = async (setup) => {
  const subject = await setup.session()
  const input = { title: 'Mend it', file_path: 'roof.txt', diff: 'whole\n', risk_level: 'critical' }
  const asked = await tool(setup, subject, 'ask_approval', input)
  const id = String(asked.answer.result?.structuredContent?.['request_id'])
  await setup.persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
}

/** A turn of a hosted agent whose write no longer applies once it is approved. */
const failed: Maker = async (setup) => {
  const { hosted, persons } = setup
  const path = `${randomUUID()}.txt`
  // Slowly enough that partial text is stored.
  await persons.self.api.post(`/api/sessions/${hosted.id}/prompt`, { text: '/slow 10 100' })
  await persons.self.api.post(`/api/sessions/${hosted.id}/prompt`, { text: `/fswrite ${path} green` })
  type Page = { asks: { id: string }[] }
  const asks = async () => (await setup.owner.get<Page>(`/api/asks?sessionId=${hosted.id}&status=open`)).asks
  const { id } = await until(async () => (await asks())[0] ?? null, { what: 'an ask of the practice agent' })
  await writeFile(join(setup.repo.path, path), 'by somebody else\n')
  await persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
  await becomes(setup, id, 'failed')
  await rm(join(setup.repo.path, path))
}

const movedQueue: Maker = async (setup) => {
  const { id } = await setup.session()
  const { api } = setup.persons.self
  await api.post(`/api/sessions/${id}/prompt`, { text: 'Go on' })
  const next = await api.post<Session>(`/api/sessions/${id}/restart`, {})
  await setup.share(next.id)
}

/** An agent that reconnects as a new client continues its old session. */
const rejoined: Maker = async (setup) => {
  const { api } = setup.persons.self
  const { token } = await newToken(api, { name: 'of no session', scope: 'agent' })
  const agent = setup.server.api(token)
  const start = () => agent.post<Session>('/api/sessions', { protocolMode: 'mcp', repoId: setup.repo.id })
  const [lost, next] = [await start(), await start()]
  await agent.post(`/api/sessions/${lost.id}/interrupt`, {})
  await setup.share(next.id)
  const headers = { authorization: `Bearer ${token}` }
  const { reply } = await callTool(setup, headers, 'recover_state', { session_id: lost.id }, `?session_id=${next.id}`)
  if (!reply.text.includes('recovered')) throw new Error(`recover_state: ${reply.text}`)
}

const renewed: Maker = async (setup) => {
  const { subscription } = setup.push.browser()
  for (let n = 0; n < 2; n += 1) await setup.persons.self.api.post('/api/push/devices', subscription)
}

/** Five equal answers in a row become a proposal, and another answer takes it back. */
const habit: Maker = async (setup) => {
  const { self } = setup.persons
  await setup.owner.post(`/api/users/${self.id}/roles`, { role: 'machine' })
  const asks = `printf 'Paint the fence green? [y/n] '; read a; echo "you said $a"`
  for (const text of ['y', 'y', 'y', 'y', 'y', 'n']) {
    const body = { sessionType: 'script', command: ['sh', '-c', asks], cwd: setup.folder }
    const { sessionId } = await self.api.post<{ sessionId: string }>('/api/terminals', body)
    await setup.share(sessionId)
    const at = `/api/terminals/${sessionId}`
    const { promptId } = await until(
      async () => {
        const seen = await self.api.get<{ waiting: boolean; promptId: string }>(`${at}/detection`)
        return seen.waiting ? seen : null
      },
      { what: 'a prompt' },
    )
    await self.api.post(`${at}/input`, { text, expectPrompt: promptId })
    type Page = { events: { success: boolean | null }[] }
    await until(
      async () => (await self.api.get<Page>(`/api/sessions/${sessionId}/inputs`)).events[0]?.success !== undefined,
    )
  }
  await setup.owner.delete(`/api/users/${self.id}/roles/machine`)
}

/** One that runs when it is due, and one whose precheck says no. */
const scheduled: Maker = async (setup) => {
  const { api } = setup.persons.self
  const body = { agent: 'practice', repoId: setup.repo.id, prompt: '/say Done.' }
  const at = new Date(Date.now() + 4000).toISOString()
  const due = await api.post<{ id: string }>('/api/schedules', { ...body, at })
  const checked = await api.post<{ id: string }>('/api/schedules', { ...body, every: '1h', precheck: 'exit 1' })
  await api.post(`/api/schedules/${checked.id}/run`)
  type Run = { endedAt: string | null }
  for (const { id } of [due, checked])
    await until(async () => (await api.list<Run>(`/api/schedules/${id}/runs`))[0]?.endedAt, {
      what: 'the end of a run',
      seconds: 60,
    })
}

/** Makes the events that no request of the tables causes. */
export const makers: readonly Maker[] = [
  escalated,
  recovered,
  lapsed,
  expired,
  lifted,
  interrupted,
  always,
  released,
  voted,
  failed,
  movedQueue,
  rejoined,
  renewed,
  habit,
  scheduled,
]
