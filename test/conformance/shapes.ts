/** What the API promises, as far as these tests use it. */
export type Session = {
  id: string
  ownerUserId: string
  protocolMode: string
  status: string
  waiting: boolean
  prompt: string | null
  mode: string
  workspaceRoot: string
  repoId: string | null
  agent: string | null
  connectivityStatus: string
  lastActivityAt: string | null
  lastTool: string | null
  restartOf: string | null
  metadata: Record<string, unknown>
  createdAt: string
  updatedAt: string
  terminatedAt: string | null
}
export type Message = {
  id: string
  sessionId: string
  role: string
  content: Record<string, unknown>
  timestamp: string
}
export type Repo = { id: string; name: string; path: string }
export type SessionDetail = Session & { repo: Repo | null; messages: Message[]; lineage: string[]; delegates: string[] }
export type SessionPage = { sessions: Session[]; total: number; limit: number; offset: number; next: string | null }

export type Ask = {
  id: string
  sessionId: string | null
  kind: string
  status: string
  answer: Record<string, unknown> | null
  answeredBy: string | null
  automatic: boolean
  createdAt: string
  expiresAt: string | null
  votes: { userId: string }[]
}

export type User = {
  id: string
  displayName: string
  removedAt: string | null
  identities: { identity: string }[]
  roles: { role: string; agentGroupId: string | null; grantedBy: string | null }[]
  memberOf: { agentGroupId: string; addedBy: string | null }[]
}
export type Token = {
  id: string
  name: string
  scope: string
  token: string
  expiresAt: string | null
  revokedAt: string | null
}
