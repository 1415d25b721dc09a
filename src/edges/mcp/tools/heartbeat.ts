import * as z from 'zod'
import { isPaused } from '../../../domain/alert/status.ts'
import { ProgressItem } from '../../../domain/session/schema.ts'
import { iso } from '../../../lib/clock.ts'
import { newId } from '../../../lib/id.ts'
import type { MessageId } from '../../../domain/message/schema.ts'
import type { ToolCall } from '../calls/tool-call.ts'
import { standingOf } from '../link.ts'
import type { Steering } from '../steering.ts'
import { reply, tool } from './tool.ts'

const input = z.strictObject({
  status_message: z.string().max(10_000).optional().describe('What you are doing, in one line.'),
  progress_snapshot: z
    .array(ProgressItem.extend({ label: z.string().min(1).max(1000) }))
    .max(200)
    .optional()
    .describe('Your steps and the status of each; replaces the last list you sent.'),
  long_operation: z
    .strictObject({
      reason: z.string().min(1).max(1000),
      seconds: z.number().positive().max(86_400),
    })
    .optional()
    .describe(
      'You will be silent for this long, for this reason; ends with the next heartbeat that does not repeat it.',
    ),
})

const output = z.object({
  acknowledged: z.literal(true),
  session_id: z.string(),
  stall_detection_enabled: z.boolean(),
  pending_steering: z.array(z.string()).describe('What your operator wants you to know now; act on it.'),
})

export const heartbeat = (deps: { steering: Steering; stallEnabled: () => boolean }) =>
  tool({
    name: 'heartbeat',
    aliases: ['ping'],
    title: 'Send a heartbeat',
    description: [
      'Call it every minute or two while you work, and before a long step: it shows that you are not stalled,',
      'and returns messages from your operator (pending_steering). Not needed while another Signalbox tool is waiting.',
    ].join(' '),
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    recordsSignOfLife: true,
    async run({ status_message, progress_snapshot, long_operation }, call) {
      const { app, link, clock } = call
      const longUntil = long_operation ? iso(clock.now() + long_operation.seconds * 1000) : null
      const touched = await app.dispatch(
        {
          type: 'session.touch',
          id: link.sessionId,
          tool: call.tool,
          beat: true,
          longUntil,
          ...(progress_snapshot && { progress: progress_snapshot }),
        },
        link.actor,
      )
      if (!touched.ok) return touched
      call.signOfLife.recorded()
      const words = [status_message, long_operation?.reason].filter((text) => text !== undefined && text !== '')
      if (words.length > 0) await note(call, words.join('\n'))
      const waiting = await deps.steering.waiting(link.sessionId)
      call.onceSent(() => deps.steering.delivered(link.sessionId, waiting))
      const session = await app.read.session(standingOf(link), link.sessionId)
      const watched = deps.stallEnabled() && session.ok && !isPaused(session.value, clock.now())
      return reply({
        acknowledged: true,
        session_id: link.sessionId,
        stall_detection_enabled: watched,
        pending_steering: waiting.map(({ text }) => text),
      })
    },
  })

/** Repeated identical texts are one message. */
async function note({ app, link }: ToolCall, text: string): Promise<void> {
  const last = await app.read.lastMessage(link.sessionId)
  if (last?.role === 'agent' && last.content.type === 'text' && last.content.text === text) return
  await app.dispatch(
    {
      type: 'message.add',
      id: newId<MessageId>(),
      sessionId: link.sessionId,
      role: 'agent',
      content: { type: 'text', text, partial: false },
    },
    link.actor,
  )
}
