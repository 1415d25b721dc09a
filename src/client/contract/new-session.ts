import * as z from 'zod'
import { promptFiles } from '../../domain/attachment/schema.ts'
import { Isolation, OperationalMode, ProtocolMode, SessionId, SessionName } from '../../domain/session/schema.ts'
import { AgentGroupId } from '../../domain/user/id.ts'
import { RepoId } from '../../domain/workspace/schema.ts'
import { Json } from '../../lib/json.ts'

/** What a session is started with. Omitted fields get their defaults. */
export const newSessionBody = () =>
  z.strictObject({
    id: SessionId.optional(),
    protocolMode: ProtocolMode.default('acp'),
    repoId: RepoId.optional(),
    workspaceRoot: z.string().max(4096).optional(),
    agent: z.string().max(200).optional(),
    agentGroupId: AgentGroupId.optional().meta({
      description: 'Start it for an agent group of yours: the group says the rest, unless you do.',
    }),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'Default: what the agent group or the agent says.' }),
    effort: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'How much the model thinks, in the words of the agent.' }),
    name: SessionName.optional().meta({ description: 'Default: none; it is called by its title.' }),
    prompt: z.string().min(1).max(1_000_000).optional(),
    ...promptFiles,
    isolation: Isolation.optional().meta({ description: 'Default: what the agent or the configuration says.' }),
    worktree: z.boolean().default(false).meta({ description: 'Work in a separate Git worktree.' }),
    agentMode: z.string().min(1).max(200).optional().meta({ description: 'The mode of the agent to begin in.' }),
    options: z
      .record(z.string().max(200), z.union([z.string().max(1000), z.boolean()]))
      .refine((options) => Object.keys(options).length <= 20, 'must be at most 20 options')
      .optional()
      .meta({ description: 'Options of the agent, by their ids. What it does not offer is said in the conversation.' }),
    conversation: z.string().min(1).max(500).optional().meta({
      description: "One of the agent's own conversations in this folder, to continue. Needs the machine right.",
    }),
    authMethod: z.string().max(200).optional().meta({ description: 'One of the methods the agent offers.' }),
    budget: z
      .strictObject({ costUsd: z.number().positive().optional(), tokens: z.int().positive().optional() })
      .optional()
      .meta({
        description:
          'The session pauses and asks when the agent reports this much. `tokens` is compared with the context in use, which shrinks when the agent compacts it; it is not a running total.',
      }),
    mode: OperationalMode.default('remote'),
    metadata: z
      .record(z.string().max(200), Json)
      .default({})
      .refine((value) => JSON.stringify(value).length <= 65_536, 'must be at most 64 KiB of JSON'),
  })
