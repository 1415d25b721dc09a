import * as z from 'zod'
import type { Checkpoint } from '../../../domain/checkpoint/schema.ts'
import type { Checkpointing } from '../deps.ts'
import { standingOf } from '../link.ts'
import { notVouched } from './common.ts'
import { reply, tool } from './tool.ts'

const Shown = z.object({
  checkpoint_id: z.string(),
  label: z.string().nullable(),
  created_at: z.string(),
  file_count: z.int(),
})

export const createCheckpoint = (checkpoints: Checkpointing) =>
  tool({
    name: 'create_checkpoint',
    title: 'Keep the state of the workspace',
    description:
      'Keeps every file of the workspace and the state of your session, so that your operator can go back to it. Use it before anything large.',
    input: z.strictObject({ label: z.string().max(200).optional().describe('What is special about this moment.') }),
    output: Shown,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    async run({ label }, { link, key, session }) {
      if (session.workspaceClaimed) return notVouched
      const made = await checkpoints.create({
        sessionId: link.sessionId,
        label: label ?? null,
        actor: link.actor,
        ...(key !== null && { key }),
      })
      return made.ok ? reply(shown(made.value)) : made
    },
  })

export const listCheckpoints = tool({
  name: 'list_checkpoints',
  title: 'List checkpoints',
  description: 'The checkpoints of this session and those it continues, newest first.',
  input: z.strictObject({}),
  output: z.object({ checkpoints: z.array(Shown) }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  async run(_input, { app, link }) {
    const found = await app.read.checkpoints(standingOf(link), { sessionId: link.sessionId })
    return found.ok ? reply({ checkpoints: found.value.map(shown) }) : found
  },
})

const shown = ({ id, label, createdAt, fileCount }: Checkpoint) => ({
  checkpoint_id: id,
  label,
  created_at: createdAt,
  file_count: fileCount,
})
