import type { McpSessions } from '../sessions.ts'

/** All the transport needs of sessions: which one a caller means, and that its client is gone for good. */
export type Attaching = Pick<McpSessions, 'attach' | 'find' | 'goodbye' | 'seen'>
