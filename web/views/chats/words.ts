import type { InstanceState } from '../../../src/domain/chat-instance/schema.ts'
import type { SessionMode } from '../../../src/domain/chat/id.ts'
import type {
  EngageMode,
  IgnoredMessagePolicy,
  SenderScope,
  StrangerReason,
  UnknownSenderPolicy,
  Verbosity,
} from '../../../src/domain/chat/schema.ts'
import type { Signal } from '../../ui/badge.tsx'

type Words<K extends string> = Readonly<Record<K, { label: string; about: string }>>

const platforms: Readonly<Record<string, string>> = {
  slack: 'Slack',
  telegram: 'Telegram',
  discord: 'Discord',
  web: 'Web chat',
}

export const platformTitle = (name: string): string => platforms[name] ?? name

export const engageModes: Words<EngageMode> = {
  mention: { label: 'When mentioned', about: 'Answers messages that mention it, and direct messages.' },
  'mention-sticky': {
    label: 'When mentioned, then every message',
    about: 'Once mentioned, answers every message while its session is running.',
  },
  pattern: { label: 'When the text matches', about: 'Answers messages that match the pattern below.' },
}

export const sessionModes: Words<SessionMode> = {
  shared: { label: 'One for the chat', about: 'The chat has one session; each thread has its own.' },
  'per-thread': { label: 'One for each thread', about: 'Every new thread starts a session.' },
  'agent-shared': { label: 'One for all chats', about: 'All chats of this agent group share one session.' },
}

export const senderScopes: Words<SenderScope> = {
  all: { label: 'Everyone who may write here', about: 'Includes unknown people if the chat is public.' },
  known: { label: 'Only members', about: 'Only members and admins of the agent group.' },
}

export const ignoredPolicies: Words<IgnoredMessagePolicy> = {
  drop: { label: 'Ignore them', about: 'The agent never sees messages that are not for it.' },
  accumulate: { label: 'Keep them as context', about: 'The agent gets earlier messages with the next one for it.' },
}

export const verbosities: Words<Verbosity> = {
  quiet: { label: 'Quiet', about: 'Posts finished messages and questions.' },
  verbose: { label: 'Verbose', about: 'Also posts tool calls, and updates text while it is written.' },
}

export const senderPolicies: Words<UnknownSenderPolicy> = {
  strict: { label: 'Ignore', about: 'Unknown people get no reply.' },
  request_approval: { label: 'Ask an admin', about: 'Messages wait until an admin lets the person in.' },
  public: { label: 'Let in', about: 'Anyone in this chat can write to its agents.' },
}

export const states: Readonly<Record<InstanceState, { label: string; signal: Signal }>> = {
  connecting: { label: 'Connecting…', signal: 'wait' },
  connected: { label: 'Connected', signal: 'clear' },
  reconnecting: { label: 'Reconnecting…', signal: 'wait' },
  refused: { label: 'Refused', signal: 'stop' },
  stopped: { label: 'Stopped', signal: 'plain' },
}

const reasons: Readonly<Record<StrangerReason, string>> = {
  no_agent_wired: 'No agent group is wired to this chat',
  no_agent_engaged: 'No agent was addressed',
  unknown_sender_strict: 'This chat ignores unknown people',
  unknown_sender_request_approval: 'Waiting for an admin',
  unknown_sender_scope: 'Not a member of the agent group',
  unknown_sender_rejected: 'An admin rejected them',
  chat_denied: 'The chat was denied',
  too_many_held: 'Too many messages are waiting already',
}

export const reasonText = (reason: string): string => reasons[reason as StrangerReason] ?? reason
