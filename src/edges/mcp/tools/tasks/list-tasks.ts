import * as z from 'zod'
import { standingOf } from '../../link.ts'
import { reply, tool } from '../tool.ts'
import { shownTask, Task } from './common.ts'

const most = 200

export const listTasks = tool({
  name: 'list_tasks',
  title: 'List scheduled tasks',
  description: 'The scheduled tasks of this session and of your agent group, each with its last run.',
  input: z.strictObject({}),
  output: z.object({ tasks: z.array(Task) }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  async run(_input, { app, link }) {
    const found = await app.read.schedules(standingOf(link), { limit: most, offset: 0 })
    if (!found.ok) return found
    return reply({ tasks: found.value.map((task) => shownTask(task, task.lastRun ? [task.lastRun] : [])) })
  },
})
