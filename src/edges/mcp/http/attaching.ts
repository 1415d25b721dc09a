import type { McpSessions } from '../sessions.ts'

/** All the transport needs of sessions: which one a caller means, and that its client is gone for good. */
export type TransportSessions = Pick<McpSessions, 'attach' | 'find' | 'goodbye' | 'seen'>
