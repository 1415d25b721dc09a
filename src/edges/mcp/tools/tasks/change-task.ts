import * as z from 'zod'
import type { Command } from '../../../../app/command.ts'
import type { RunId, ScheduleId } from '../../../../domain/schedule/schema.ts'
import { derivedId } from '../../../../lib/derived-id.ts'
import { newId } from '../../../../lib/id.ts'
import type { ToolCall } from '../../calls/tool-call.ts'
import { tool, type Tool } from '../tool.ts'
import { asTask, policies, replyTask, Task, taskId, timing } from './common.ts'

const change = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }

async function changed(call: ToolCall, command: Command & { id: ScheduleId }) {
  const done = await call.app.dispatch(command, call.link.actor)
  return done.ok ? replyTask(call, command.id) : asTask(done)
}

const onTask = (about: {
  name: string
  title: string
  description: string
  command(id: ScheduleId, call: ToolCall): Command & { id: ScheduleId }
  destructive?: true
}): Tool =>
  tool({
    name: about.name,
    title: about.title,
    description: about.description,
    input: z.strictObject({ task_id: taskId }),
    output: Task,
    annotations: { ...change, destructiveHint: about.destructive ?? false },
    run: ({ task_id: id }, call) => changed(call, about.command(id as ScheduleId, call)),
  })

export const pauseTask = onTask({
  name: 'pause_task',
  title: 'Pause a scheduled task',
  description: 'Pause a task of this session or of your agent group. It does not run until resume_task.',
  command: (id) => ({ type: 'schedule.pause', id }),
})

export const resumeTask = onTask({
  name: 'resume_task',
  title: 'Resume a scheduled task',
  description: 'It runs again from its next due time. What was due meanwhile runs only if missed is once or all.',
  command: (id) => ({ type: 'schedule.resume', id }),
})

export const cancelTask = onTask({
  name: 'cancel_task',
  title: 'Cancel a scheduled task',
  description: 'It never runs again. A run in progress continues.',
  command: (id) => ({ type: 'schedule.cancel', id }),
  destructive: true,
})

export const runTask = onTask({
  name: 'run_task',
  title: 'Run a scheduled task now',
  description: 'Runs it once, in addition to its due times.',
  command: (id, { key, link }) => ({
    type: 'schedule.run_now',
    id,
    runId: key === null ? newId<RunId>() : derivedId<RunId>('mcp run', link.sessionId, key),
  }),
})

export const updateTask = tool({
  name: 'update_task',
  title: 'Change a scheduled task',
  description: 'Change the prompt, the time or the policies of a task. What you leave out stays.',
  input: z.strictObject({
    task_id: taskId,
    prompt: z.string().min(1).max(100_000).optional().describe('The new prompt.'),
    ...timing,
    ...policies,
  }),
  output: Task,
  annotations: change,
  run: ({ task_id: id, time_zone: timeZone, ...asked }, call) =>
    changed(call, {
      type: 'schedule.update',
      id: id as ScheduleId,
      ...asked,
      ...(timeZone !== undefined && { timeZone }),
    }),
})
