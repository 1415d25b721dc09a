import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { App } from '../app/app.ts'
import type { SaveFile } from '../app/chat/receive-files.ts'
import { everyAsk } from '../app/pages.ts'
import type { SessionId } from '../domain/session/id.ts'
import type { Session } from '../domain/session/schema.ts'
import { systemStanding } from '../domain/user/actor.ts'
import type { ReadFile } from '../edges/mcp/deps.ts'
import type { ChangeApplier } from '../edges/workspace/apply-changes.ts'
import type { FileChanges } from '../edges/workspace/changes/file-changes.ts'
import type { Checkpoints } from '../edges/workspace/checkpoint/checkpoints.ts'
import type { GitLife, GitLifeDeps } from '../edges/workspace/git-life/git-life.ts'
import type { UndoStore } from '../edges/workspace/undo-store.ts'
import type { Clock } from '../lib/clock.ts'
import { lazy, lazyMethods } from '../lib/lazy.ts'
import type { Logger } from '../lib/log.ts'
import { realPlace, type Looked } from '../lib/look-at-file.ts'
import { ok, type Result } from '../lib/result.ts'

type Deps = {
  app: App
  clock: Clock
  log: Logger
  dataDir: string
  node: string
  /** Reports a path that leads out of its workspace. */
  refused(path: string): Promise<void>
  /** Resolves when nothing of a session's agent is left. */
  endAgent(id: SessionId): Promise<void>
  locateAgain(path: string): Promise<Result<void>>
  sameDirectory(path: string, mark: string | null): Promise<boolean>
  forges: GitLifeDeps['forges']
}

/** Work on the files of workspaces: approved changes, undos, checkpoints. Its code is loaded when it is needed. */
export type WorkspaceParts = {
  readonly changes: Pick<FileChanges, 'look'>
  /** A file of a workspace, for a person to look at. */
  lookAtFile(session: Pick<Session, 'id' | 'workspaceRoot'>, path: string): Promise<Looked>
  /** A file of a workspace, to be sent to people. */
  readFile: ReadFile
  /** A file that people sent, for the agent of a session. */
  saveFile: SaveFile
  readonly applying: ChangeApplier
  readonly checkpoints: Checkpoints
  readonly gitLife: GitLife
}

export function createWorkspaceFiles(deps: Deps): WorkspaceParts {
  const { app, dataDir, node } = deps
  const changes = lazy(() => loadChanges(deps))
  const applying = lazy(async () => (await changes.get()).applying)
  const checkpoints = lazy(() => loadCheckpoints(deps))
  const gitLife = lazy(() => loadGitLife(deps))
  return {
    changes: { look: async (input) => (await changes.get()).changes.look(input) },
    lookAtFile: (session, path) => lookInside(deps, session, path),
    readFile: (session, path, most) => readInside(deps, session, path, most),
    saveFile: (session, path, bytes) => saveInside(deps, session, path, bytes),
    applying: {
      ...lazyMethods(applying, ['apply', 'undo']),
      async resume() {
        const begun = await app.read.asksBeingApplied(node)
        if (begun.length > 0 || existsSync(join(dataDir, 'journal'))) await (await applying.get()).resume()
      },
    },
    checkpoints: lazyMethods(checkpoints, ['create', 'files', 'look', 'restore']),
    gitLife: {
      ...lazyMethods(gitLife, [
        'change',
        'commit',
        'findFiles',
        'merge',
        'planPullRequest',
        'openPullRequest',
        'worktrees',
        'removeWorktree',
      ]),
      async resume() {
        if (existsSync(scratchOf(dataDir))) await (await gitLife.get()).resume()
      },
    },
  }
}

/** A file that can't be shown, or is outside the workspace, is shown as its name only. */
async function lookInside(
  { app, refused }: Deps,
  { id, workspaceRoot: root }: Pick<Session, 'id' | 'workspaceRoot'>,
  path: string,
): Promise<Looked> {
  const { openWorkspace } = await import('../edges/workspace/workspace-files.ts')
  const files = openWorkspace({ root, refused, mark: () => app.read.workspaceMark(id) })
  const located = await files.locate(path)
  // Its real path tells people that it is outside.
  if (!located.ok) return { real: await realPlace(resolve(root, path)), exists: true, text: null }
  const { path: real, exists } = located.value
  const read = exists ? await files.readText(path) : null
  return { real, exists, text: read?.ok ? read.value.text : null }
}

async function readInside(
  { app, refused }: Deps,
  { id, workspaceRoot: root }: Parameters<ReadFile>[0],
  path: string,
  most: number,
): ReturnType<ReadFile> {
  const { openWorkspace } = await import('../edges/workspace/workspace-files.ts')
  const files = openWorkspace({ root, refused, mark: () => app.read.workspaceMark(id) })
  const file = await files.readBytes(path, most)
  // Of what was read: a link may lead elsewhere a moment later.
  return file.ok
    ? ok({ inside: relative(await realPlace(root), file.value.real), bytes: Buffer.from(file.value.bytes) })
    : file
}

async function saveInside(
  { app, refused }: Deps,
  { id, workspaceRoot: root }: Parameters<SaveFile>[0],
  path: string,
  bytes: Buffer,
): ReturnType<SaveFile> {
  const { writeNewFile } = await import('../edges/workspace/write-own-file.ts')
  const place = { root, refused, mark: () => app.read.workspaceMark(id) }
  const [folder = ''] = path.split('/')
  // If somebody changed it, they want these files in their diffs.
  await writeNewFile({ ...place, path: join(folder, '.gitignore'), content: Buffer.from('*\n') })
  return writeNewFile({ ...place, path, content: bytes })
}

async function loadChanges({ app, clock, log, dataDir, node, refused }: Deps) {
  const [{ createChangeApplier }, { createFileChanges }, { createUndoStore }] = await Promise.all([
    import('../edges/workspace/apply-changes.ts'),
    import('../edges/workspace/changes/file-changes.ts'),
    import('../edges/workspace/undo-store.ts'),
  ])
  const undo = createUndoStore({ directory: join(dataDir, 'undo'), clock })
  const changes = createFileChanges({ dataDir, clock, log: log.child({ part: 'workspace' }), refused, undo })
  return { changes, applying: createChangeApplier({ app, changes, log, node }) }
}

async function loadCheckpoints({ app, log, dataDir, endAgent, refused }: Deps): Promise<Checkpoints> {
  const [{ createCheckpoints }, { createCheckpointStore }, { createUndoStore }] = await Promise.all([
    import('../edges/workspace/checkpoint/checkpoints.ts'),
    import('../edges/workspace/checkpoint/store.ts'),
    import('../edges/workspace/undo-store.ts'),
  ])
  const store = createCheckpointStore({ directory: join(dataDir, 'checkpoints'), log, refused })
  const undo = createUndoStore({ directory: join(dataDir, 'undo') })
  return createCheckpoints({ app, store, log, endAgent, filesMadeBy: (id) => filesMadeBy(app, undo, id) })
}

const scratchOf = (dataDir: string): string => join(dataDir, 'git')

async function loadGitLife({ app, clock, log, dataDir, locateAgain, sameDirectory, forges }: Deps): Promise<GitLife> {
  const { createGitLife } = await import('../edges/workspace/git-life/git-life.ts')
  return createGitLife({ app, clock, log, scratch: scratchOf(dataDir), forges, locateAgain, sameDirectory })
}

const seeing = systemStanding('workspace')

/** New files that approved changes of a session made, as the last of these changes left them. */
async function filesMadeBy(app: App, undo: UndoStore, id: SessionId): Promise<{ path: string; hash: string }[]> {
  const session = await app.read.session(seeing, id)
  if (!session.ok) return []
  const root = session.value.workspaceRoot
  const left = new Map<string, string>()
  const made = new Set<string>()
  for await (const ask of everyAsk(app.read, seeing, { sessionId: id, statuses: ['consumed', 'answered'] })) {
    if (ask.undoneAt !== null) continue
    for (const file of (await undo.get(ask.id))?.files ?? []) {
      const path = relative(root, file.path)
      // Newest first, so the first entry of a file is its last write.
      if (file.expected !== null && !left.has(path)) left.set(path, file.expected)
      if (file.hash === 'new_file') made.add(path)
    }
  }
  return [...left].flatMap(([path, hash]) => (made.has(path) ? [{ path, hash }] : []))
}
