import { ndJsonStream } from '@agentclientprotocol/sdk/unstable'
import { Readable, Writable } from 'node:stream'
import type { Client } from '../../client/client.ts'
import { editorAgent } from '../acp/editor-agent.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { findSession } from '../find-by-id.ts'
import { runningServer } from '../running-server.ts'
import { startServer } from '../start-server.ts'
import type { editorFlags } from '../table/mcp.ts'
import { gitRootOf } from '../workspace-choice.ts'

/** Runs until the editor closes stdin. Stdout belongs to the editor; everything else goes to stderr. */
export const acp: Handler<typeof editorFlags> = async ({ flags }, context) => {
  const connection = await context.api()
  const { client } = connection
  await ensureRunning(context, client)
  const joined = flags.session === undefined ? null : await findSession(client, flags.session)
  await using app = editorAgent({
    connection,
    joined,
    version: context.parts.version,
    note: (text) => context.out.note(`signalbox acp: ${text}`),
    start: async (_client, cwd) =>
      client.startSession({ body: { ...(await placeOf(client, cwd)), ...optionsOf(flags) } }),
  })
  const { stdin, stdout } = process
  // The editor is gone: not an error.
  stdout.removeAllListeners('error')
  stdout.on('error', () => stdin.destroy())
  const stream = ndJsonStream(Writable.toWeb(stdout), Readable.toWeb(stdin) as ReadableStream<Uint8Array>)
  await app.connect(stream).closed
  stdin.destroy()
}

type Given = Parameters<typeof acp>[0]['flags']

const optionsOf = ({ agent, model, effort, isolation, worktree }: Given) => ({
  ...(agent !== undefined && { agent }),
  ...(model !== undefined && { model }),
  ...(effort !== undefined && { effort }),
  ...(isolation !== undefined && { isolation: isolation as 'none' | 'sandbox' | 'container' }),
  ...(worktree && { worktree: true }),
})

/** The repo, if the editor's folder is one; else the folder alone. */
async function placeOf(client: Client, cwd: string) {
  if (gitRootOf(cwd) !== cwd) return { workspaceRoot: cwd }
  const known = (await client.listRepos({})).repos.find(({ path }) => path === cwd)
  return known ? { repoId: known.id } : { workspaceRoot: cwd }
}

/** Editors start this, and nobody is there to start a server first. */
async function ensureRunning(context: Context, client: Client): Promise<void> {
  if (context.url !== undefined) {
    // A wrong address or token is said now, not with the first conversation.
    await client.getStatus({})
    return
  }
  const { dataDir, configFile, env } = context
  await startServer({ dataDir, configFile, env, isThere: async () => (await runningServer(client)) !== null })
}
