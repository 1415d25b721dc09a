import type { Command } from '../../../app/command.ts'
import { TokenId } from '../../../domain/user/id.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { newId } from '../../../lib/id.ts'
import type { Json } from '../../../lib/json.ts'
import { newSecret, sha256 } from '../../../lib/secret.ts'
import { seeing, system } from '../actor.ts'
import type { SharedDeps } from '../deps.ts'
import type { Notes, Recorder } from '../transcript/recorder.ts'

/** Our own MCP server beside this agent: what it is told of it, and the token that is good for its session alone. */
export type OwnServer = {
  /** Makes a token; null where the agent does without us. */
  announce(others: readonly Json[], http: boolean): Promise<Json | null>
  /** Its process is gone: its tokens are good for nothing any more. */
  revoke(report: (command: Command) => Promise<void>): Promise<void>
}

export function createOwnServer(deps: { shared: SharedDeps; sessionId: SessionId; recorder: Recorder }): OwnServer {
  const { shared, sessionId, recorder } = deps
  const { app, log, ownTools } = shared
  const { notes } = recorder

  async function newToken(): Promise<string | null> {
    const session = await app.read.session(seeing, sessionId)
    if (!session.ok) return null
    const id = newId<TokenId>()
    const token = newSecret('sbx_')
    // Written down first: a token that was made is one that will be revoked.
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

/** Those an agent was given whose process is gone. */
export async function revokeTokens(
  notes: Partial<Notes>,
  report: (command: Command) => Promise<unknown>,
): Promise<void> {
  for (const id of notes.own?.tokens ?? []) await report({ type: 'token.revoke', id: TokenId.parse(id) })
}

/** The operator may have a server of that name. */
function freeName(taken: readonly unknown[]): string {
  const usual = 'signalbox'
  if (!taken.includes(usual)) return usual
  let count = 2
  while (taken.includes(`${usual}-${count}`)) count += 1
  return `${usual}-${count}`
}
