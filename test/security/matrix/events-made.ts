import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Session } from '../../conformance/shapes.ts'
import { command, newToken } from '../../conformance/work.ts'
import { until } from '../../support/until.ts'
import type { Ground, Subject } from './ground.ts'
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

type Maker = (ground: Ground) => Promise<void>
type Alert = { id: string; status: string }

const tool = (ground: Ground, subject: Subject, name: string, input: Record<string, unknown> = {}) =>
  callTool(ground, ground.headers('agnt', subject), name, input)
const alertOf = (ground: Ground, { id }: Subject, status: string) =>
  until(
    async () =>
      (await ground.owner.get<{ alerts: Alert[] }>(`/api/alerts?sessionId=${id}`)).alerts.find(
        (alert) => alert.status === status,
      ) ?? null,
    { what: `an alert that is ${status}`, seconds: 30 },
  )

/** An agent that works, then goes silent. */
async function silent(ground: Ground): Promise<Subject> {
  const subject = await ground.session()
  await tool(ground, subject, 'remote_log', { message: 'at work' })
  return subject
}
const escalated: Maker = async (ground) => void (await alertOf(ground, await silent(ground), 'escalated'))
const recovered: Maker = async (ground) => {
  const subject = await silent(ground)
  await alertOf(ground, subject, 'nudged')
  await tool(ground, subject, 'heartbeat')
  await alertOf(ground, subject, 'self_recovered')
}
const lapsed: Maker = async (ground) => {
  const subject = await silent(ground)
  const { id } = await alertOf(ground, subject, 'nudged')
  await ground.persons.self.api.post(`/api/sessions/${subject.id}/stall`, { paused: true })
  const open = ['pending', 'nudged', 'escalated']
  await until(async () => !open.includes((await ground.owner.get<Alert>(`/api/alerts/${id}`)).status))
}

const ask = (ground: Ground, subject: Subject) =>
  ground
    .api('agnt', subject)
    .post<{ id: string }>(`/api/sessions/${subject.id}/asks`, { title: 'May I?', subject: command })
const becomes = (ground: Ground, id: string, status: string) =>
  until(async () => (await ground.owner.get<{ status: string }>(`/api/asks/${id}`)).status === status, {
    what: `an ask that is ${status}`,
  })

const expired: Maker = async (ground) => {
  const { id } = await ask(ground, await ground.session())
  await becomes(ground, id, 'expired')
}
const lifted: Maker = async (ground) => {
  const subject = await ground.session()
  await tool(ground, subject, 'forward_prompt', { prompt_text: 'It broke', prompt_type: 'error_recovery' })
  type Page = { events: { type: string }[] }
  const events = async () => (await ground.owner.get<Page>(`/api/audit?session=${subject.id}&limit=100`)).events
  await until(async () => (await events()).some(({ type }) => type === 'ask.expiry_lifted'))
}
const interrupted: Maker = async (ground) => {
  const subject = await ground.session()
  const { id } = await ask(ground, subject)
  await ground.persons.self.api.post(`/api/sessions/${subject.id}/terminate`, {})
  await becomes(ground, id, 'interrupted')
}
const always: Maker = async (ground) => {
  const input = { title: 'Mend it', file_path: `${randomUUID()}.txt`, diff: 'green\n' }
  const asked = await tool(ground, await ground.session(), 'ask_approval', input)
  const id = String(asked.answer.result?.structuredContent?.['request_id'])
  await ground.persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve', always: true })
  type Page = { rules: unknown[] }
  const proposed = async () => (await ground.owner.get<Page>('/api/policy/rules?status=proposed')).rules
  await until(async () => (await proposed()).length > 0, { what: 'a rule that is proposed' })
}

/** Approved, but then it no longer applies. */
const released: Maker = async (ground) => {
  const subject = await ground.session()
  const path = `${randomUUID()}.txt`
  const asked = await tool(ground, subject, 'ask_approval', { title: 'Mend it', file_path: path, diff: 'green\n' })
  const id = String(asked.answer.result?.structuredContent?.['request_id'])
  await ground.persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
  await writeFile(join(ground.repo.path, path), 'by somebody else\n')
  await tool(ground, subject, 'accept_diff', { request_id: id })
  await rm(join(ground.repo.path, path))
}
const voted: Maker = async (ground) => {
  const subject = await ground.session()
  const input = { title: 'Mend it', file_path: 'roof.txt', diff: 'whole\n', risk_level: 'critical' }
  const asked = await tool(ground, subject, 'ask_approval', input)
  const id = String(asked.answer.result?.structuredContent?.['request_id'])
  await ground.persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
}

/** A turn of a hosted agent whose write no longer applies once it is approved. */
const failed: Maker = async (ground) => {
  const { hosted, persons } = ground
  const path = `${randomUUID()}.txt`
  // Slowly enough that partial text is stored.
  await persons.self.api.post(`/api/sessions/${hosted.id}/prompt`, { text: '/slow 10 100' })
  await persons.self.api.post(`/api/sessions/${hosted.id}/prompt`, { text: `/fswrite ${path} green` })
  type Page = { asks: { id: string }[] }
  const asks = async () => (await ground.owner.get<Page>(`/api/asks?sessionId=${hosted.id}&status=open`)).asks
  const { id } = await until(async () => (await asks())[0] ?? null, { what: 'an ask of the practice agent' })
  await writeFile(join(ground.repo.path, path), 'by somebody else\n')
  await persons.self.api.post(`/api/asks/${id}/answer`, { outcome: 'approve' })
  await becomes(ground, id, 'failed')
  await rm(join(ground.repo.path, path))
}

const movedQueue: Maker = async (ground) => {
  const { id } = await ground.session()
  const { api } = ground.persons.self
  await api.post(`/api/sessions/${id}/prompt`, { text: 'Go on' })
  const next = await api.post<Session>(`/api/sessions/${id}/restart`, {})
  await ground.share(next.id)
}

/** An agent that reconnects as a new client continues its old session. */
const rejoined: Maker = async (ground) => {
  const { api } = ground.persons.self
  const { token } = await newToken(api, { name: 'of no session', scope: 'agent' })
  const agent = ground.server.api(token)
  const start = () => agent.post<Session>('/api/sessions', { protocolMode: 'mcp', repoId: ground.repo.id })
  const [lost, next] = [await start(), await start()]
  await agent.post(`/api/sessions/${lost.id}/interrupt`, {})
  await ground.share(next.id)
  const headers = { authorization: `Bearer ${token}` }
  const { reply } = await callTool(ground, headers, 'recover_state', { session_id: lost.id }, `?session_id=${next.id}`)
  if (!reply.text.includes('recovered')) throw new Error(`recover_state: ${reply.text}`)
}

const renewed: Maker = async (ground) => {
  const { subscription } = ground.push.browser()
  for (let n = 0; n < 2; n += 1) await ground.persons.self.api.post('/api/push/devices', subscription)
}

/** Five equal answers in a row become a proposal, and another answer takes it back. */
const habit: Maker = async (ground) => {
  const { self } = ground.persons
  await ground.owner.post(`/api/users/${self.id}/roles`, { role: 'machine' })
  const asks = `printf 'Paint the fence green? [y/n] '; read a; echo "you said $a"`
  for (const text of ['y', 'y', 'y', 'y', 'y', 'n']) {
    const body = { sessionType: 'script', command: ['sh', '-c', asks], cwd: ground.folder }
    const { sessionId } = await self.api.post<{ sessionId: string }>('/api/terminals', body)
    await ground.share(sessionId)
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
  await ground.owner.delete(`/api/users/${self.id}/roles/machine`)
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
]
