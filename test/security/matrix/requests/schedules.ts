import type { Prepare, Prepared, Specs } from '../spec.ts'
import { callTool } from '../tool-call.ts'
import type { CommandSpec } from './commands.ts'
import type { ToolSpec } from './tools.ts'

/** Made by the agent of a session of `self` that belongs to the group. */
export const schedule: Prepare = async (setup) => {
  const subject = await setup.session()
  const input = { prompt: 'Look around', every: '1h' }
  const { answer } = await callTool(setup, setup.headers('agnt', subject), 'schedule_task', input)
  const id = String(answer.result?.structuredContent?.['task_id'])
  return { ...subject, marker: id, params: { id }, more: { id } }
}
const paused: Prepare = async (setup) => {
  const subject = await schedule(setup)
  await setup.persons.self.api.post(`/api/schedules/${String(subject.more?.['id'])}/pause`)
  return subject
}
const ran: Prepare = async (setup) => {
  const subject = await schedule(setup)
  await setup.persons.self.api.post(`/api/schedules/${String(subject.more?.['id'])}/run`)
  return subject
}
const session: Prepare = (setup) => setup.session()

const hourly = { prompt: 'Look around', every: '1h' }

export const scheduleRequests: Specs = {
  'GET /api/schedules': { on: schedule, query: '?limit=1000' },
  'GET /api/schedules/{id}': { on: schedule },
  'GET /api/schedules/{id}/runs': { on: ran },
  'POST /api/schedules': { fresh: true, bodyOf: (_subject, { repo }) => ({ ...hourly, repoId: repo.id }) },
  'POST /api/schedules ~ in any directory': {
    fresh: true,
    bodyOf: (_subject, { free }) => ({ ...hourly, workspaceRoot: free }),
  },
  'POST /api/schedules ~ for a session': {
    on: session,
    fresh: true,
    bodyOf: ({ id }) => ({ ...hourly, session: 'same', sessionId: id }),
  },
  'PATCH /api/schedules/{id}': { on: schedule, fresh: true, body: { prompt: 'Look again' } },
  'DELETE /api/schedules/{id}': { on: schedule, fresh: true },
  'POST /api/schedules/{id}/pause': { on: schedule, fresh: true },
  'POST /api/schedules/{id}/resume': { on: paused, fresh: true },
  'POST /api/schedules/{id}/run': { on: schedule, fresh: true },
}

const task = ({ more }: Prepared) => ({ task_id: String(more?.['id']) })

export const taskTools: Readonly<Record<string, ToolSpec>> = {
  schedule_task: { input: () => hourly },
  list_tasks: { on: schedule },
  pause_task: { on: schedule, fresh: true, input: task },
  resume_task: { on: paused, fresh: true, input: task },
  run_task: { on: schedule, fresh: true, input: task },
  update_task: { on: schedule, fresh: true, input: (subject) => ({ ...task(subject), prompt: 'Look again' }) },
  cancel_task: { on: schedule, fresh: true, input: task },
}

const words =
  (...more: string[]) =>
  (subject: Prepared): string[] => [String(subject.more?.['id']), ...more]

export const scheduleCommandSpecs: Readonly<Record<string, CommandSpec>> = {
  schedules: { on: schedule, words: () => [] },
  'schedules list': { on: schedule, words: () => [] },
  'schedules add': { fresh: true, words: (_subject, { repo }) => ['Look around', '--every', '1h', '--repo', repo.id] },
  'schedules show': { on: schedule, words: words() },
  'schedules runs': { on: ran, words: words() },
  'schedules update': { on: schedule, fresh: true, words: words('--prompt', 'Look again') },
  'schedules pause': { on: schedule, fresh: true, words: words() },
  'schedules resume': { on: paused, fresh: true, words: words() },
  'schedules run': { on: schedule, fresh: true, words: words() },
  'schedules remove': { on: schedule, fresh: true, words: words() },
}
