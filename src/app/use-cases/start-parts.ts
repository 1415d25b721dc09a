import type { NewSession } from '../../domain/session/schema.ts'
import type { AgentStart } from '../hosting.ts'
import type { Requester } from './requester.ts'
import type { WantedSession } from './start-session.ts'

/** The mode and options to begin with, and the conversation to take up. */
export const choicesOf = ({
  agentMode,
  options,
  conversation,
}: WantedSession): Pick<AgentStart, 'chosen' | 'conversation'> => ({
  ...((agentMode !== undefined || options !== undefined) && {
    chosen: { mode: agentMode ?? null, options: options ?? {} },
  }),
  ...(conversation !== undefined && { conversation }),
})

export const withFiles = ({ attachments, links }: WantedSession): Pick<AgentStart, 'files'> =>
  attachments === undefined && links === undefined ? {} : { files: { attachments, links } }

export const tokenOf = ({ actor }: Requester): NewSession['tokenId'] => (actor.kind === 'agent' ? actor.tokenId : null)

export const plainStart = ({ actor, once }: Requester): Omit<AgentStart, 'session'> => ({
  restartOf: null,
  forkOf: null,
  actor,
  once,
  isolation: null,
  worktree: false,
  authMethod: null,
  budget: null,
})

/** Metadata that only Signalbox sets; callers may not. */
const ours: readonly string[] = ['reason', 'forkOf']
export const withoutOurs = (metadata: NewSession['metadata']): NewSession['metadata'] =>
  Object.fromEntries(Object.entries(metadata).filter(([name]) => !ours.includes(name)))

type Continued = Omit<NewSession, 'id' | 'prompt' | 'tokenId'>

/** What a successor takes over from its predecessor: owner, workspace, chat and thread (X4). */
export const continued = (old: Continued): Continued => ({
  ...(old.name && { name: old.name }),
  ownerUserId: old.ownerUserId,
  protocolMode: old.protocolMode,
  workspaceRoot: old.workspaceRoot,
  repoId: old.repoId,
  mode: old.mode,
  agent: old.agent,
  agentProvider: old.agentProvider,
  model: old.model ?? null,
  effort: old.effort ?? null,
  agentGroupId: old.agentGroupId,
  messagingGroupId: old.messagingGroupId,
  threadId: old.threadId,
  channelId: old.channelId,
  threadTs: old.threadTs,
  metadata: withoutOurs(old.metadata),
  isolation: old.isolation,
})

export const noOwner = { kind: 'forbidden' as const, code: 'not_authorised', message: 'A session needs an owner.' }

export const cannotSpawn = {
  kind: 'unavailable' as const,
  code: 'agent_unavailable',
  message: "Terminal sessions can't be started here.",
  hint: 'Use signalbox run, or POST /api/terminals.',
}

export const cannotFork = {
  kind: 'conflict' as const,
  code: 'fork_not_offered',
  message: 'Only sessions of agents that Signalbox runs can be copied.',
}

export const cannotHandOver = {
  kind: 'conflict' as const,
  code: 'not_hosted',
  message: 'Only sessions of agents that Signalbox runs can be handed over.',
  hint: 'Start a session with the other agent in the same folder.',
}

export const noWorkspace = {
  kind: 'invalid' as const,
  code: 'workspace_required',
  message: 'A session needs a workspace.',
  hint: 'Send repoId or workspaceRoot, or set workspace_root in config.toml.',
}

export const relativeWorkspace = {
  kind: 'invalid' as const,
  code: 'workspace_not_absolute',
  message: 'workspaceRoot must be an absolute path.',
}
