import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createFileChanges } from '../../../src/edges/workspace/changes/file-changes.ts'
import { createUndoStore } from '../../../src/edges/workspace/undo-store.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLogger } from '../../../src/lib/log.ts'

/** Runs in a process that is killed at its n-th step. `spoil`: a file is removed halfway, so that it rolls back. */
export type Orders = {
  root: string
  dataDir: string
  askId: string
  work: 'apply' | 'resume' | 'undo' | 'resumeUndo'
  filePath: string
  diff: string
  killAt: number
  spoil: { at: string; path: string } | null
}

// Only if started as a program; the test imports the type.
if (process.argv[2] !== undefined && import.meta.main) {
  const orders = JSON.parse(process.argv[2]) as Orders
  const { root, dataDir, askId, filePath, diff, spoil } = orders
  let steps = 0
  let isSpoilt = false
  const changes = createFileChanges({
    dataDir,
    clock: systemClock,
    log: silentLogger,
    refused: () => Promise.resolve(),
    undo: createUndoStore({ directory: join(dataDir, 'undo') }),
    async step(name) {
      steps += 1
      if (steps === orders.killAt) {
        process.kill(process.pid, 'SIGKILL')
        await new Promise(() => {})
      }
      if (spoil?.at !== name || isSpoilt) return
      isSpoilt = true
      renameSync(join(root, spoil.path), join(root, `${spoil.path}.aside`))
      mkdirSync(join(root, spoil.path))
    },
  })
  process.stdout.write('ready\n')
  const looked = await changes.look({ root, filePath, diff })
  const files = looked.ok ? looked.value.files : []
  const work = {
    apply: () => changes.apply({ askId, sessionId: 's', root, filePath, diff, files, force: false }),
    resume: () => changes.resume(askId),
    undo: () => changes.undo({ askId, root }),
    resumeUndo: () => changes.resumeUndo(askId),
  }
  const result = await work[orders.work]()
  process.stdout.write(`${JSON.stringify({ steps, ok: result?.ok ?? null })}\n`)
}
