import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../app/app.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { systemStanding } from '../../domain/user/actor.ts'
import type { Logger } from '../../lib/log.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { Checkpoints } from './checkpoint/checkpoints.ts'
import { createKeyedQueue } from '../../lib/serial-queue.ts'

const patienceMs = 1000
const checkpointStanding = systemStanding('checkpoint')
const system = checkpointStanding.actor

/**
 * Takes a checkpoint of the workspace when a session starts (R18), in the background. Only for Git repositories: copying
 * a whole home directory, for example, would be unexpected.
 */
export function startCheckpoints(deps: { app: App; checkpoints: Checkpoints; log: Logger }): AsyncDisposable {
  const { app, checkpoints, log } = deps
  /** One at a time in each workspace; a slow one does not delay others. */
  const queue = createKeyedQueue()
  let stopped = false

  async function keep(sessionId: SessionId): Promise<void> {
    const session = await app.read.session(checkpointStanding, sessionId)
    if (stopped || !session.ok || session.value.workspaceClaimed) return
    // Keyed: every node of this machine sees the start, and one checkpoint is enough.
    const made = await checkpoints.create({ sessionId, label: null, actor: system, key: `start ${sessionId}` })
    if (!made.ok) log.warn({ sessionId, code: made.fault.code }, 'no checkpoint of the start could be made')
  }

  const listening = app.tail.listen((events) => {
    for (const event of events) {
      if (event.type !== 'session.started' || event.data.protocolMode === 'terminal') continue
      const { id: sessionId, workspaceRoot: root } = event.data
      if (!existsSync(join(root, '.git'))) continue
      queue
        .run(root, () => keep(sessionId))
        .catch((error: unknown) => log.warn({ error: String(error) }, 'no checkpoint of the start could be made'))
    }
  })

  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      listening[Symbol.dispose]()
      // A checkpoint that is not recorded by then is lost; the next session makes another.
      await withTimeLimit(queue.allIdle(), patienceMs)
    },
  }
}
