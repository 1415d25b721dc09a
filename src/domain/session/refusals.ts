import { fail, type Failed } from '../../lib/result.ts'
import type { SessionId } from './id.ts'
import type { NewSession } from './schema.ts'
import type { SessionStatus } from './status.ts'

export const ended = (status: SessionStatus): Failed =>
  fail({
    kind: 'conflict',
    code: 'session_ended',
    message: `The session has ended (${status}).`,
    hint: 'Continue it as a new session.',
    details: { status },
  })

export const notEnded = (status: SessionStatus): Failed =>
  fail({
    kind: 'conflict',
    code: 'session_open',
    message: `Only sessions that have ended can be archived. This one is ${status}.`,
    hint: 'End it first: signalbox sessions complete ID',
    details: { status },
  })

export const continuedAlready = (successor: SessionId): Failed =>
  fail({
    kind: 'conflict',
    code: 'already_continued',
    message: 'Another session already continues this one.',
    hint: `See ${successor}, or end it first.`,
    details: { sessionId: successor },
  })

export const full = (session: Pick<NewSession, 'protocolMode'>, limit: number): Failed =>
  fail({
    kind: 'limited',
    code: 'session_limit',
    message: `All ${limit} slots for ${session.protocolMode} sessions are taken.`,
    hint: `End one (signalbox sessions, signalbox sessions cancel ID), or raise ${
      session.protocolMode === 'acp' ? 'max_sessions under [acp]' : 'max_concurrent_sessions'
    } in config.toml.`,
    details: { limit, protocolMode: session.protocolMode },
  })

export const noContainer = (limit: number): Failed =>
  fail({
    kind: 'limited',
    code: 'container_limit',
    message: `All ${limit} containers are taken.`,
    hint: 'End a session that runs in one, or raise max under [containers] in config.toml.',
    details: { limit },
  })
