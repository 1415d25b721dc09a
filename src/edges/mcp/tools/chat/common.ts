import * as z from 'zod'
import type { Outgoing } from '../../../../app/chat/outgoing/outgoing.ts'
import type { ReadFile } from '../../deps.ts'

/** What tools for chats need. Read at each call: a server can list its tools without them. */
export type ChatDeps = { readonly chat: Outgoing; readonly readFile: ReadFile }

export const to = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('A destination from list_destinations. Leave it out to reply where you were last addressed.')

export const messageId = (what: string) => z.string().min(1).max(200).describe(what)

/** A message is on its way, or will be tried until it is. */
export const sentOutput = z.object({ message_id: z.string(), status: z.literal('queued') })
export const doneOutput = z.object({ status: z.literal('queued') })

export const posting = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true }
