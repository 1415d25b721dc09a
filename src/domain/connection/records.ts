import type { SessionId } from '../session/id.ts'
import type { TokenId, UserId } from '../user/id.ts'

/** One MCP client with its own protocol session. Its id is sent with every request. */
export type Connection = {
  readonly id: string
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly tokenId: TokenId | null
  /** The params of its `initialize`, as JSON: needed to continue it after a restart. */
  readonly initialize: string
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly closedAt: string | null
}

export type NewConnection = Omit<Connection, 'lastSeenAt' | 'closedAt'>

/** Seq 0 holds the request of a stream until it is answered; the others hold the messages sent on it. */
export type StreamEvent = {
  readonly connectionId: string
  readonly streamId: string
  readonly seq: number
  readonly message: string
  readonly at: string
}

export type StreamName = Pick<StreamEvent, 'connectionId' | 'streamId'>

/** Database records of the MCP edge. They involve no decisions, so they are not commands. */
export type ConnectionRecords = {
  open(connection: NewConnection): Promise<void>
  touch(ids: readonly string[], at: string): Promise<void>
  close(id: string, at: string): Promise<void>
  /** The client continues as another session. */
  move(id: string, sessionId: SessionId): Promise<void>
  find(id: string): Promise<Connection | undefined>
  openOf(sessionId: SessionId): Promise<Connection[]>
  /** This node is in contact with these clients: other nodes must not treat them as lost. */
  noteContact(sessions: readonly SessionId[], node: string, at: string): Promise<void>
  /** In one transaction: the messages sent, and the streams whose request was answered. */
  appendEvents(events: readonly StreamEvent[], answered: readonly StreamName[]): Promise<void>
  /** The events of a stream from a position on, in order. */
  eventsFrom(stream: StreamName, seq: number): Promise<StreamEvent[]>
  /** Deletes older events, and connections unused since then. */
  forgetBefore(at: string): Promise<void>
}
