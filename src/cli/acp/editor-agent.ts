import { agent, methods, RequestError, type AgentApp, type AgentContext } from '@agentclientprotocol/sdk/unstable'
import type { Session } from '../../domain/session/schema.ts'
import type { Client } from '../../client/client.ts'
import { hasEnded } from '../../domain/session/status.ts'
import type { ServerConnection } from '../context.ts'
import { findSession } from '../find-by-id.ts'
import { fieldOf, listField, textField } from '../json-fields.ts'
import { openEditorSession, type EditorSession } from './editor-session.ts'
import { promptText } from './prompt-text.ts'

type EditorAgentDeps = {
  connection: ServerConnection
  version: string
  /** The session that every new conversation of the editor joins. */
  joined: Session['id'] | null
  start(client: Client, cwd: string): Promise<Session>
  note(text: string): void
}

const mostListed = 50

/** Signalbox as an ACP agent: an editor's conversations are sessions of the server, with its policy, inbox and audit. */
export function editorAgent(deps: EditorAgentDeps): AgentApp & AsyncDisposable {
  const { connection, version, joined, note } = deps
  const { client } = connection
  const open = new Map<string, EditorSession>()

  async function take(id: Session['id'], editor: AgentContext, replay: boolean) {
    await open.get(id)?.[Symbol.asyncDispose]()
    open.set(id, await openEditorSession({ connection, editor, id, replay, note }))
    const { agentState } = await client.getSession({ params: { id }, query: { messages: 'none' } })
    const modes = fieldOf(agentState, 'modes')
    return listField(modes, 'availableModes').length > 0 && textField(modes, 'currentModeId') !== null
      ? { modes: modes as never }
      : {}
  }

  function find(id: string): EditorSession {
    const found = open.get(id)
    if (!found) throw RequestError.sessionNotFound(id)
    return found
  }

  const app = agent({ name: 'signalbox' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 1,
      agentInfo: { name: 'signalbox', title: 'Signalbox', version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { embeddedContext: true },
        sessionCapabilities: { list: {}, close: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, async ({ params, client: editor }) => {
      if (params.mcpServers.length > 0)
        note('MCP servers of the editor are not passed on: set them in the configuration of Signalbox.')
      const id = joined ?? (await said(() => deps.start(client, params.cwd))).id
      return { sessionId: id, ...(await said(() => take(id, editor, joined !== null))) }
    })
    .onRequest(methods.agent.session.load, async ({ params, client: editor }) => {
      const id = await said(() => findSession(client, params.sessionId))
      return said(() => take(id, editor, true))
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const { sessions } = await client.listSessions({ query: { limit: mostListed, view: 'full' } })
      const here = sessions.filter(({ workspaceRoot, protocolMode, status }) => {
        const isHere = params.cwd === undefined || params.cwd === null || workspaceRoot === params.cwd
        return protocolMode === 'acp' && isHere && !hasEnded(status)
      })
      return {
        sessions: here.map(({ id, workspaceRoot, title, updatedAt }) => ({
          sessionId: id,
          cwd: workspaceRoot,
          title: title ?? null,
          updatedAt,
        })),
      }
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await find(params.sessionId)[Symbol.asyncDispose]()
      open.delete(params.sessionId)
      return {}
    })
    .onRequest(methods.agent.session.setMode, async ({ params }) => {
      find(params.sessionId)
      const { sessionId, modeId } = params
      await said(() => client.setAgentMode({ params: { id: sessionId }, body: { modeId } }))
      return {}
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => {
      const text = promptText(params.prompt)
      if (text === '') throw RequestError.invalidParams(undefined, 'the prompt has no text')
      const session = find(params.sessionId)
      return { stopReason: await said(() => session.prompt(text)) }
    })
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await open
        .get(params.sessionId)
        ?.cancel()
        .catch((error: unknown) => note(String(error)))
    })
  return Object.assign(app, {
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.values()].map((session) => session[Symbol.asyncDispose]()))
    },
  })
}

/** Faults of the server in the words of the server, not as internal errors. */
async function said<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RequestError) throw error
    const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : ''
    throw RequestError.internalError(undefined, `${error instanceof Error ? error.message : String(error)}${hint}`)
  }
}
