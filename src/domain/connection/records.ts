import type { SessionId } from '../session/id.ts'
import type { TokenId, UserId } from '../user/id.ts'

/** One client over MCP with a session of its protocol. Its id goes along with every request. */
export type Connection = {
  readonly id: string
  readonly sessionId: SessionId
  readonly userId: UserId
  readonly tokenId: TokenId | null
  /** The params of its `initialize`, as JSON: what is needed to go on with it after a restart. */
  readonly initialize: string
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly closedAt: string | null
}

export type NewConnection = Omit<Connection, 'lastSeenAt' | 'closedAt'>

/** Seq 0 holds what was asked on a stream, for as long as it is not answered; the others what was said on it. */
export type StreamEvent = {
  readonly connectionId: string
  readonly streamId: string
  readonly seq: number
  readonly message: string
  readonly at: string
}

export type StreamName = Pick<StreamEvent, 'connectionId' | 'streamId'>

/** Bookkeeping of the MCP edge, bound to the database. Nothing of it is decided, so nothing of it is a command. */
export type ConnectionRecords = {
  open(connection: NewConnection): Promise<void>
  touch(ids: readonly string[], at: string): Promise<void>
  close(id: string, at: string): Promise<void>
  /** Its client goes on as another session. */
  move(id: string, sessionId: SessionId): Promise<void>
  find(id: string): Promise<Connection | undefined>
  openOf(sessionId: SessionId): Promise<Connection[]>
  /** This node is in contact with their clients: others must not take them for lost. */
  noteContact(sessions: readonly SessionId[], node: string, at: string): Promise<void>
  /** In one transaction: what was said, and the streams whose question is answered. */
  appendEvents(events: readonly StreamEvent[], answered: readonly StreamName[]): Promise<void>
  /** What a stream holds from a place on, in order. */
  eventsFrom(stream: StreamName, seq: number): Promise<StreamEvent[]>
  /** Removes what was said before, and connections nobody has used since. */
  forgetBefore(at: string): Promise<void>
}
