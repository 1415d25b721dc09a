import * as z from 'zod'
import type { Ask } from '../../../domain/ask/schema.ts'
import { ProgressItem, SessionId, type Session } from '../../../domain/session/schema.ts'
import { iso } from '../../../lib/clock.ts'
import { fail, notFound, ok, type Result } from '../../../lib/result.ts'
import type { ToolCall } from '../calls/tool-call.ts'
import { systemViewer, standingOf } from '../link.ts'
import type { Rebinding } from '../sessions.ts'
import { reply, tool, type Structured } from './tool.ts'

const input = z.strictObject({
  session_id: z.string().max(100).optional().describe('One of your sessions to continue; leave it out if unsure.'),
})

const output = z.object({
  status: z.enum(['clean', 'recovered', 'ambiguous']),
  session_id: z.string().optional(),
  pending_requests: z
    .array(
      z.object({
        request_id: z.string(),
        type: z.string(),
        title: z.string(),
        status: z.string(),
        created_at: z.string(),
      }),
    )
    .optional(),
  last_checkpoint: z
    .object({ checkpoint_id: z.string(), label: z.string().nullable(), created_at: z.string() })
    .nullable()
    .optional(),
  progress_snapshot: z.array(ProgressItem).nullable().optional(),
  queued_instructions: z.array(z.string()).optional(),
  candidates: z
    .array(z.object({ session_id: z.string(), created_at: z.string(), last_activity_at: z.string().nullable() }))
    .optional(),
})

/** Open, or approved but not applied: something is left to do. */
const unfinished = ['open', 'answered', 'applying'] as const
const isLeft = ({ status, kind, answer }: Ask): boolean =>
  status === 'open' || (kind === 'diff' && answer?.outcome === 'approve')

const anHour = 3_600_000
const mostRefused = 10

export const recoverState = (rebinding: Rebinding) =>
  tool({
    name: 'recover_state',
    aliases: ['reboot'],
    title: 'Find out where you were',
    description: [
      'Call it first, and after you crash or restart. clean: start from the beginning.',
      'recovered: continue; call the same tools with the request_id of each pending request to get its answer.',
      'ambiguous: call it again with the session_id you mean, or ask your operator.',
    ].join(' '),
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run({ session_id }, call) {
      if (session_id !== undefined) {
        const chosen = await choose(session_id, call)
        return chosen.ok ? recovered(call, chosen.value, rebinding) : chosen
      }
      const own = await stateOf(call, call.session)
      if (own !== null) return reply(own)
      // A bound token, and a hosted agent, can't continue another session.
      if (call.link.bound || call.session.protocolMode !== 'mcp') return reply({ status: 'clean' })
      const others = await call.app.read.recoverable(
        call.link.actor.userId,
        call.session.workspaceRoot,
        iso(call.clock.now()),
      )
      const [only, ...more] = others
      if (!only) return reply({ status: 'clean' })
      if (more.length === 0) return recovered(call, only, rebinding)
      return reply({
        status: 'ambiguous',
        candidates: others.map(({ id, createdAt, lastActivityAt }) => ({
          session_id: id,
          created_at: createdAt,
          last_activity_at: lastActivityAt,
        })),
      })
    },
  })

/** A session of the same person and token, or of the caller's lineage. Others are refused without details. */
async function choose(id: string, call: ToolCall): Promise<Result<Session>> {
  const read = SessionId.safeParse(id)
  const session = read.success ? await call.app.read.session(systemViewer, read.data) : notFound('session', id)
  if (!session.ok) return refused(id)
  const { actor } = call.link
  const lineage = await call.app.read.lineage(call.link.sessionId)
  // An active session belongs to its client, unless that is this token.
  const free =
    session.value.status === 'interrupted' ||
    (actor.tokenId !== null && (await call.app.read.tokenOfSession(session.value.id)) === actor.tokenId)
  const mine =
    lineage.includes(session.value.id) ||
    (session.value.ownerUserId === actor.userId &&
      session.value.protocolMode === 'mcp' &&
      session.value.workspaceRoot === call.session.workspaceRoot &&
      free &&
      !call.link.bound)
  return mine ? ok(session.value) : refused(id)
}

const refused = (id: string) =>
  fail({
    kind: 'forbidden',
    code: 'session_not_yours',
    message: `${id} is not a session you can continue.`,
    hint: 'Leave session_id out, or ask your operator.',
  })

async function recovered(call: ToolCall, session: Session, rebinding: Rebinding) {
  const bound = await rebinding.rebind(call.link, session.id)
  if (!bound.ok) return bound
  const state = await stateOf(call, session)
  return reply(state ?? { status: 'recovered', session_id: session.id, ...nothing })
}

const nothing = { pending_requests: [], last_checkpoint: null, progress_snapshot: null, queued_instructions: [] }

/** Rejections given while the agent was away, so that it does not ask again. */
async function refusals({ app, clock }: ToolCall, { id }: Session): Promise<Ask[]> {
  const since = iso(clock.now() - anHour)
  const page = await app.read.asks(systemViewer, { sessionId: id, statuses: ['answered'], since, limit: mostRefused })
  return (page.ok ? page.value : []).filter(({ kind, answer }) => kind === 'diff' && answer?.outcome === 'reject')
}

/** Null if there is nothing to continue. */
async function stateOf(call: ToolCall, session: Session): Promise<Structured | null> {
  const { app } = call
  const lineage = await app.read.lineage(session.id)
  const asks: Ask[] = []
  for (const id of lineage) {
    for (const status of unfinished) {
      const page = await app.read.asks(systemViewer, { sessionId: id, statuses: [status], limit: 100 })
      if (page.ok) asks.push(...page.value.filter(isLeft))
    }
  }
  asks.push(...(await refusals(call, session)))
  const items = await app.read.waitingItems(session.id)
  const checkpoints = await app.read.checkpoints(standingOf(call.link), { sessionId: session.id })
  // The checkpoint of the start does not count: nothing was done before it.
  const last = checkpoints.ok ? checkpoints.value.find(({ reason }) => reason !== 'start') : undefined
  const { progressSnapshot } = session
  if (asks.length === 0 && items.length === 0 && progressSnapshot === null && !last) return null
  return {
    status: 'recovered',
    session_id: session.id,
    pending_requests: asks.map((ask) => ({
      request_id: ask.id,
      type: ask.kind === 'diff' ? 'approval' : ask.kind,
      title: ask.title,
      status: ask.status === 'open' ? 'pending' : 'answered',
      created_at: ask.createdAt,
    })),
    last_checkpoint: last ? { checkpoint_id: last.id, label: last.label, created_at: last.createdAt } : null,
    progress_snapshot: progressSnapshot,
    queued_instructions: items.map(({ text }) => text),
  }
}
