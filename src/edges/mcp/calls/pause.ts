import type { App } from '../../../app/app.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import { hasEnded } from '../../../domain/session/status.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { systemViewer } from '../link.ts'
import type { CallHold } from './hold.ts'

/** Tools of a paused session wait; tools of an ended session are refused. */
export type Pauses = {
  ready(id: SessionId, holding: CallHold): Promise<Result<Session>>
  heard(id: unknown): void
}

export function createPauses(app: App): Pauses {
  const waiting = new Map<string, Set<() => void>>()

  /** Resolves when the session has changed; null if the caller stopped waiting. */
  function changed(id: SessionId, signal: AbortSignal): Promise<true | null> {
    if (signal.aborted) return Promise.resolve(null)
    const bell = Promise.withResolvers<true | null>()
    const wake = () => bell.resolve(true)
    const leave = () => bell.resolve(null)
    const set = waiting.get(id) ?? new Set()
    waiting.set(id, set.add(wake))
    signal.addEventListener('abort', leave)
    return bell.promise.finally(() => {
      signal.removeEventListener('abort', leave)
      set.delete(wake)
      if (set.size === 0) waiting.delete(id)
    })
  }

  return {
    async ready(id, holding) {
      let session = await app.read.session(systemViewer, id)
      while (session.ok && session.value.status === 'paused') {
        const woken = await holding.hold('the session is paused by its operator', async (signal) => {
          const bell = changed(id, signal)
          // It may have been resumed before we listened.
          const again = await app.read.session(systemViewer, id)
          return again.ok && again.value.status !== 'paused' ? true : bell
        })
        session = await app.read.session(systemViewer, id)
        if (woken === null && session.ok && session.value.status === 'paused') return fail(paused)
      }
      if (!session.ok) return session
      return hasEnded(session.value.status) ? fail(ended(session.value.status)) : ok(session.value)
    },
    heard(id) {
      if (typeof id === 'string') for (const wake of waiting.get(id) ?? []) wake()
    },
  }
}

const paused = {
  kind: 'conflict' as const,
  code: 'session_paused',
  message: 'Your operator has paused this session. Nothing was done.',
  hint: 'Wait a moment and call again; do no other work meanwhile.',
}

const ended = (status: string) => ({
  kind: 'conflict' as const,
  code: 'session_ended',
  message: `This session has ended (${status}).`,
  hint: 'Stop what you are doing. Reconnect if your operator wants you to continue.',
})
