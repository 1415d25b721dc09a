import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { App } from './app/app.ts'
import type { AskId } from './domain/ask/schema.ts'
import type { SessionId } from './domain/session/id.ts'
import type { Session } from './domain/session/schema.ts'
import { systemStanding } from './domain/user/actor.ts'
import type { ChangeApplier } from './edges/workspace/apply-changes.ts'
import type { FileChanges } from './edges/workspace/changes/file-changes.ts'
import type { Checkpoints } from './edges/workspace/checkpoint/checkpoints.ts'
import type { UndoStore } from './edges/workspace/undo-store.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import { realPlace, type Looked } from './lib/look-at-file.ts'

type Deps = {
  app: App
  clock: Clock
  log: Logger
  dataDir: string
  node: string
  /** Told of each path that tried to leave a workspace. */
  refused(path: string): Promise<void>
  /** Done when nothing of a session's agent is left. */
  endAgent(id: SessionId): Promise<void>
}

/** What is done to the files of workspaces: approved changes, undos, checkpoints. Loaded when it is needed. */
export type WorkspaceWork = {
  readonly changes: Pick<FileChanges, 'look'>
  /** A file of a workspace, for a person to look at. */
  looking(session: Pick<Session, 'id' | 'workspaceRoot'>, path: string): Promise<Looked>
  readonly applying: ChangeApplier
  readonly checkpoints: Checkpoints
}

export function createWorkspaceWork(deps: Deps): WorkspaceWork {
  const { app, dataDir, node } = deps
  let filing: ReturnType<typeof loadFiling> | null = null
  let keeping: ReturnType<typeof loadKeeping> | null = null
  const files = () => (filing ??= loadFiling(deps))
  const checkpoints = () => (keeping ??= loadKeeping(deps))
  return {
    changes: { look: async (input) => (await files()).changes.look(input) },
    looking: (session, path) => lookInside(deps, session, path),
    applying: {
      apply: async (input) => (await files()).applying.apply(input),
      undo: async (input) => (await files()).applying.undo(input),
      async resume() {
        const begun = await app.read.asksBeingApplied(node)
        if (begun.length > 0 || existsSync(join(dataDir, 'journal'))) await (await files()).applying.resume()
      },
    },
    checkpoints: {
      create: async (input) => (await checkpoints()).create(input),
      look: async (id, actor) => (await checkpoints()).look(id, actor),
      restore: async (id, input) => (await checkpoints()).restore(id, input),
    },
  }
}

/** Where it can't be shown, or is not in the workspace, only its name is. */
async function lookInside(
  { app, refused }: Deps,
  { id, workspaceRoot: root }: Pick<Session, 'id' | 'workspaceRoot'>,
  path: string,
): Promise<Looked> {
  const { openWorkspace } = await import('./edges/workspace/workspace-files.ts')
  const files = openWorkspace({ root, refused, mark: () => app.read.workspaceMark(id) })
  const located = await files.locate(path)
  // Only where it is, so that people see that it lies elsewhere.
  if (!located.ok) return { real: await realPlace(resolve(root, path)), exists: true, text: null }
  const { path: real, exists } = located.value
  const read = exists ? await files.readText(path) : null
  return { real, exists, text: read?.ok ? read.value.text : null }
}

async function loadFiling({ app, clock, log, dataDir, node, refused }: Deps) {
  const [{ createChangeApplier: createApplying }, { createFileChanges: createChanges }, { createUndoStore }] =
    await Promise.all([
      import('./edges/workspace/apply-changes.ts'),
      import('./edges/workspace/changes/file-changes.ts'),
      import('./edges/workspace/undo-store.ts'),
    ])
  const undo = createUndoStore({ directory: join(dataDir, 'undo'), clock })
  const changes = createChanges({ dataDir, clock, log: log.child({ part: 'workspace' }), refused, undo })
  return { changes, applying: createApplying({ app, changes, log, node }) }
}

async function loadKeeping({ app, log, dataDir, endAgent, refused }: Deps): Promise<Checkpoints> {
  const [{ createCheckpoints }, { createCheckpointStore }, { createUndoStore }] = await Promise.all([
    import('./edges/workspace/checkpoint/checkpoints.ts'),
    import('./edges/workspace/checkpoint/store.ts'),
    import('./edges/workspace/undo-store.ts'),
  ])
  const store = createCheckpointStore({ directory: join(dataDir, 'checkpoints'), log, refused })
  const undo = createUndoStore({ directory: join(dataDir, 'undo') })
  return createCheckpoints({ app, store, log, endAgent, filesMadeBy: (id) => filesMadeBy(app, undo, id) })
}

const seeing = systemStanding('workspace')

/** New files that approved changes of a session made, as the last of these changes left them. */
async function filesMadeBy(app: App, undo: UndoStore, id: SessionId): Promise<{ path: string; hash: string }[]> {
  const session = await app.read.session(seeing, id)
  if (!session.ok) return []
  const root = session.value.workspaceRoot
  const left = new Map<string, string>()
  const made = new Set<string>()
  let before: { createdAt: string; id: AskId } | undefined
  for (;;) {
    const page = await app.read.asks(seeing, { sessionId: id, statuses: ['consumed', 'answered'], limit: 100, before })
    before = page.ok ? page.value.at(-1) : undefined
    if (!page.ok || before === undefined) break
    for (const ask of page.value) {
      if (ask.undoneAt !== null) continue
      for (const file of (await undo.get(ask.id))?.files ?? []) {
        const path = relative(root, file.path)
        // Newest first: what was written last is what counts.
        if (file.expected !== null && !left.has(path)) left.set(path, file.expected)
        if (file.hash === 'new_file') made.add(path)
      }
    }
  }
  return [...left].flatMap(([path, hash]) => (made.has(path) ? [{ path, hash }] : []))
}
