import * as z from 'zod'
import { Json } from '../../lib/json.ts'
import { isGroupKind, type groupKinds } from './kinds.ts'
import { Run } from './run.ts'

const text = z.string().max(4_000_000)
const line = z.string().max(10_000)
const path = z.string().min(1).max(4096)
/** Which agent group an administrative ask is about, and who wants it. Set by Signalbox when it is opened. */
const asked = {
  agentGroupId: line.optional(),
  /** The session that asked, and the person whose message led to it. */
  requestedBy: z.object({ sessionId: line, userId: line.nullable() }).optional(),
}
const kind = <K extends string, S extends z.ZodRawShape>(name: K, shape: S) =>
  z.object({ kind: z.literal(name), ...shape })

/** What waits for a decision. One union for every edge. */
export const AskSubject = z
  .discriminatedUnion('kind', [
    kind('diff', {
      filePath: path,
      diff: text,
      /** If `diff` is whole content: the change as a diff, for people to read. */
      preview: text.optional(),
      /** SHA-256 of every affected file when the ask was opened, or `new_file`. */
      files: z.array(z.object({ path, hash: line })).default([]),
    }),
    kind('command', {
      /** Nobody could read anything longer. */
      command: z.string().max(1_000_000),
      cwd: path,
      /** What an approval starts; `command` is built from it. Without it we start nothing. */
      run: Run.optional(),
      /** Secrets were replaced by `[REDACTED]`. */
      masked: z.boolean().optional(),
    }),
    kind('tool', { tool: line, input: Json }),
    kind('permission', {
      toolCall: Json,
      options: z.array(
        z.object({
          optionId: line,
          name: line,
          kind: z.enum(['allow_once', 'allow_always', 'reject_once', 'reject_always']),
        }),
      ),
    }),
    kind('elicitation', { message: text, schema: Json }),
    kind('prompt', {
      text,
      promptType: z
        .enum(['continuation', 'clarification', 'error_recovery', 'resource_warning'])
        .default('continuation'),
      elapsedSeconds: z.number().min(0).nullable().default(null),
      actionsTaken: z.int().min(0).nullable().default(null),
    }),
    kind('wait', { message: text.nullable().default(null) }),
    kind('question', {
      question: text,
      options: z.array(z.object({ label: line, value: line })).default([]),
      freeText: z.boolean().default(true),
    }),
    kind('packages', {
      apt: z.array(line).default([]),
      npm: z.array(line).default([]),
      reason: text,
      ...asked,
      /** All packages that the image will have. */
      after: z.object({ apt: z.array(line), npm: z.array(line) }).optional(),
    }),
    kind('mcp_server', {
      name: line,
      server: Json,
      reason: text,
      ...asked,
      /** The server that has this name now, if any. */
      replaces: Json.nullable().optional(),
    }),
    kind('create_agent', {
      name: line,
      instructions: text,
      reason: text.nullable().default(null),
      ...asked,
      /** What the new group gets: never more than the group that asks. */
      group: Json.optional(),
      config: Json.optional(),
    }),
    /** The value comes with the answer, and is stored sealed. */
    kind('credential', { name: line, host: line, reason: text, ...asked }),
    kind('admin_command', {
      /** Exactly this command is carried out. */
      command: Json,
      /** What it changes, as it is now. */
      before: Json.nullable().default(null),
      reason: text.nullable().default(null),
      ...asked,
    }),
    kind('unknown_sender', {
      identity: line,
      chat: line,
      messageId: line.nullable().default(null),
      /** The agent group that the sender becomes a member of. */
      agentGroupId: line.optional(),
    }),
    kind('new_chat', {
      chat: line,
      name: line.nullable().default(null),
      /** The agent group that will listen there, and who wrote first. */
      agentGroupId: line.optional(),
      identity: line.optional(),
      /** The agent groups that can be chosen instead, if there are several. */
      groups: z.array(z.object({ id: line, name: line })).optional(),
    }),
    kind('terminal_prompt', {
      promptText: text,
      promptType: z.enum(['password', 'yes_no', 'choice', 'path', 'text', 'command', 'unknown']),
      dangerous: z.boolean().default(false),
      suggestedInputs: z.array(line).default([]),
      /** This occurrence of the prompt: the answer is typed into no other one. */
      promptId: line.nullable().default(null),
      /** The answer is typed and never stored. */
      secret: z.boolean().default(false),
      dangerReason: line.nullable().default(null),
    }),
  ])
  .meta({ id: 'AskSubject' })
export type AskSubject = z.infer<typeof AskSubject>
export type AskKind = AskSubject['kind']
export type PermissionOption = Extract<AskSubject, { kind: 'permission' }>['options'][number]

/** Those that change an agent group when they are approved. */
export type GroupSubject = Extract<AskSubject, { kind: (typeof groupKinds)[number] }>
export const isAboutGroup = (subject: AskSubject): subject is GroupSubject => isGroupKind(subject.kind)

/** In one request. */
export const mostPackages = 20
