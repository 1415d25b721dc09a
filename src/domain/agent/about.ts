import * as z from 'zod'
import { Json } from '../../lib/json.ts'

const Budget = z.object({ costUsd: z.number().nullable(), tokens: z.int().nullable() })

/** What a hosted agent reported about itself, and what was set up for it; stored unchanged. */
export const AgentAbout = z.object({
  agentSessionId: z.string().nullable(),
  agentInfo: Json.meta({ description: 'Name, title and version.' }),
  protocolVersion: z.int().nullable(),
  capabilities: Json,
  authMethods: Json,
  modes: Json,
  models: Json,
  configOptions: Json,
  commands: Json,
  title: z.string().nullable(),
  authMethod: z.string().nullable().meta({ description: 'The sign-in method it was started with, if one was named.' }),
  confinement: z.string().meta({ description: 'How it is confined, as text, with the resolved path.' }),
  budget: Budget.nullable(),
  worktree: z
    .object({
      path: z.string(),
      branch: z.string(),
      repo: z.string(),
      from: z
        .object({ branch: z.string().nullable(), commit: z.string() })
        .nullable()
        .default(null)
        .meta({ description: 'The branch and commit it was made from.' }),
    })
    .nullable(),
  turnless: z.boolean().default(false).meta({ description: 'It has no turns: messages are delivered immediately.' }),
})
export type AgentAbout = z.infer<typeof AgentAbout>

export const Usage = z.object({
  used: z.number().nullable().meta({ description: 'Tokens in the context.' }),
  size: z.number().nullable().meta({ description: 'Tokens that fit.' }),
  costUsd: z.number().nullable().meta({ description: 'So far, as the agent reports it.' }),
})
export type Usage = z.infer<typeof Usage>

export const Turn = z.object({
  itemId: z.string(),
  startedAt: z.iso.datetime(),
  cancelled: z.boolean(),
  ignoresCancel: z.boolean().optional().meta({ description: 'It was told to stop a while ago, but has not stopped.' }),
})
export type Turn = z.infer<typeof Turn>

export const AgentState = AgentAbout.extend({
  usage: Usage.nullable(),
  turn: Turn.nullable().meta({ description: 'The prompt that the agent is working on.' }),
}).meta({ id: 'AgentState' })
export type AgentState = z.infer<typeof AgentState>

/** One process of a session's agent: asleep and awake again, a session has had two. */
export const AgentLife = z
  .object({
    id: z.string(),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable().meta({ description: 'Null while it runs.' }),
    exitCode: z.int().nullable(),
    exitSignal: z.string().nullable(),
    stderr: z.string().meta({ description: 'The end of its error output.' }),
  })
  .meta({ id: 'AgentLife' })
export type AgentLife = z.infer<typeof AgentLife>

export const nothingKnown: AgentAbout = {
  agentSessionId: null,
  agentInfo: null,
  protocolVersion: null,
  capabilities: {},
  authMethods: [],
  modes: null,
  models: null,
  configOptions: [],
  commands: [],
  title: null,
  authMethod: null,
  confinement: '',
  budget: null,
  worktree: null,
  turnless: false,
}

/** Whether the agent can continue its conversation in another process. */
export function canResume({
  capabilities,
  agentSessionId,
}: Pick<AgentAbout, 'capabilities' | 'agentSessionId'>): boolean {
  const { loadSession, sessionCapabilities } = (capabilities ?? {}) as {
    loadSession?: boolean
    sessionCapabilities?: { resume?: unknown }
  }
  return agentSessionId !== null && (loadSession === true || Boolean(sessionCapabilities?.resume))
}

const causes = [
  'starting',
  'queued',
  'asleep',
  'working',
  'idle',
  'paused',
  'waiting_for_person',
  'model_silent',
  'rate_limited',
  'looping',
  'child_hung',
  'ignores_cancel',
  'dead',
  'done',
] as const

/** B7: why the agent is making no progress. */
export const Diagnosis = z
  .object({
    cause: z.enum(causes),
    since: z.iso.datetime().nullable(),
    detail: z.string(),
    hint: z.string().nullable(),
  })
  .meta({ id: 'Diagnosis' })
export type Diagnosis = z.infer<typeof Diagnosis>
