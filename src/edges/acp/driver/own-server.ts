import type { Command } from '../../../app/command.ts'
import { TokenId } from '../../../domain/user/id.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newId } from '../../../lib/id.ts'
import type { Json } from '../../../lib/json.ts'
import { newSecret, sha256 } from '../../../lib/secret.ts'
import { systemViewer, system } from '../actor.ts'
import type { SharedDeps } from '../deps.ts'
import type { Notes, Recorder } from '../transcript/recorder.ts'

/** Offers our own MCP server to this agent, with a token for this session only. */
export type OwnServer = {
  /** The server's entry for the handshake, with a new token; null if the agent does not get it. */
  announce(others: readonly Json[], http: boolean): Promise<Json | null>
  /** The process is gone: revokes its tokens. */
  revoke(report: (command: Command) => Promise<void>): Promise<void>
}

export function createOwnServer(deps: { shared: SharedDeps; sessionId: SessionId; recorder: Recorder }): OwnServer {
  const { shared, sessionId, recorder } = deps
  const { app, log, ownTools } = shared
  const { notes } = recorder

  async function newToken(): Promise<string | null> {
    const session = await app.read.session(systemViewer, sessionId)
    if (!session.ok) return null
    const id = newId<TokenId>()
    const token = newSecret('sbx_')
    // Stored before it is created, so that every token is revoked in the end.
    notes.own = { ...notes.own, tokens: [...notes.own.tokens, id] }
    await recorder.flush()
    const made = await app.dispatch(
      {
        type: 'token.create',
        id,
        userId: session.value.ownerUserId,
        name: `session ${sessionId.slice(0, 8)}`,
        scope: 'agent',
        sessionId,
        expiresAt: null,
        hash: sha256(token),
      },
      system,
    )
    if (made.ok) return token
    log.warn({ code: made.fault.code, message: made.fault.message }, "an agent runs without Signalbox's tools")
    return null
  }

  return {
    async announce(others, http) {
      const endpoint = await ownTools.endpoint()
      const token = endpoint && (await newToken())
      if (!endpoint || token === null) return null
      const name = freeName(others.map((server) => (server as { name?: unknown }).name))
      notes.own = { ...notes.own, server: name }
      if (http) {
        const headers = [{ name: 'Authorization', value: `Bearer ${token}` }]
        return { type: 'http', name, url: endpoint.url, headers }
      }
      const { command, args } = ownTools.bridge
      const env = { SIGNALBOX_URL: endpoint.url.replace(/\/mcp$/, ''), SIGNALBOX_TOKEN: token }
      return { name, command, args: [...args], env: Object.entries(env).map(([key, value]) => ({ name: key, value })) }
    },
    revoke: (report) => revokeTokens(notes, report),
  }
}

/** Revokes the tokens of a process that is gone. */
export async function revokeTokens(
  notes: Partial<Notes>,
  report: (command: Command) => Promise<unknown>,
): Promise<void> {
  for (const id of notes.own?.tokens ?? []) await report({ type: 'token.revoke', id: TokenId.parse(id) })
}

/** The operator may have a server with that name. */
function freeName(taken: readonly unknown[]): string {
  const usual = 'signalbox'
  if (!taken.includes(usual)) return usual
  let count = 2
  while (taken.includes(`${usual}-${count}`)) count += 1
  return `${usual}-${count}`
}
