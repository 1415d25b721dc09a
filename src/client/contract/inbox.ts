import * as z from 'zod'
import { Alert } from '../../domain/alert/schema.ts'
import { Ask } from '../../domain/ask/schema.ts'
import { ProtocolMode, SessionId, SessionStatusName } from '../../domain/session/schema.ts'
import { UserId } from '../../domain/user/id.ts'
import { endpoint } from '../endpoint.ts'
import { FileChange } from './parts.ts'

export const Urgency = z.enum(['critical', 'high', 'normal'])
export type Urgency = z.infer<typeof Urgency>

export const InboxSession = z
  .object({
    id: SessionId,
    title: z
      .string()
      .meta({ description: "The agent's own title, else the prompt's first line, the program or the folder." }),
    agent: z.string().nullable(),
    repoName: z.string().nullable(),
    workspaceRoot: z.string(),
    protocolMode: ProtocolMode,
    status: SessionStatusName,
    ownerUserId: UserId,
    ownerName: z.string(),
  })
  .meta({ id: 'InboxSession' })
export type InboxSession = z.infer<typeof InboxSession>

export const Changes = z
  .object({
    added: z.int().meta({ description: 'Lines.' }),
    removed: z.int(),
    files: z.array(FileChange).meta({ description: 'The first 200.' }),
  })
  .meta({ id: 'Changes' })
export type Changes = z.infer<typeof Changes>

const common = {
  key: z.string().meta({ description: 'ask:<id> or alert:<id>' }),
  urgency: Urgency,
  since: z.iso.datetime(),
  mine: z.boolean().meta({ description: 'You can answer it, or act on it.' }),
}

export const InboxItem = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('ask'),
      ...common,
      ask: Ask,
      mayApprove: z.boolean().meta({
        description:
          'You can also approve. False if you can only reject, without a reason: an approval would run as the server’s user, and you lack the machine right.',
      }),
      clipped: z.boolean().meta({ description: 'Its texts are shortened; the ask itself has them in full.' }),
      changes: Changes.nullable().meta({ description: 'Set if it has a diff.' }),
      screen: z.string().nullable().meta({ description: 'For terminal prompts: the lines around it.' }),
      session: InboxSession.nullable(),
    }),
    z.object({
      kind: z.literal('alert'),
      ...common,
      alert: Alert,
      mayNudge: z.boolean().meta({ description: 'You can also nudge the agent, not only dismiss the alert.' }),
      session: InboxSession,
    }),
  ])
  .meta({ id: 'InboxItem' })
export type InboxItem = z.infer<typeof InboxItem>

export const inboxEndpoints = {
  inbox: endpoint({
    method: 'GET',
    path: '/api/inbox',
    tag: 'asks',
    summary: 'The inbox: open asks and alerts that you can see, most urgent first, each with what you need to decide',
    status: 200,
    response: () =>
      z.object({
        items: z.array(InboxItem).meta({ description: 'At most 200.' }),
        total: z.int(),
      }),
  }),
}
