import { existsSync } from 'node:fs'
import type { App } from '../app/app.ts'
import type { Terminals } from '../app/terminals.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { AskId } from '../domain/ask/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import { hasEnded } from '../domain/session/status.ts'
import type { Confined, TerminalHost } from '../edges/terminal/host/host.ts'
import { keeperPaths } from '../keeper/protocol/paths.ts'
import type { Clock } from '../lib/clock.ts'
import { lazy, lazyMethods } from '../lib/lazy.ts'
import type { Logger } from '../lib/log.ts'
import type { Result } from '../lib/result.ts'

type Deps = {
  app: App
  clock: Clock
  log: Logger
  loaded: LoadedConfig
  nodeId: string
  confine(sessionId: SessionId, argv: readonly [string, ...string[]]): Promise<Result<Confined | null>>
}

export type TerminalPart = Terminals & {
  /** False if another node holds the terminal: a secret held here would never be typed. */
  holdSecret(askId: AskId, sessionId: SessionId, value: string): boolean
  dropSecret(askId: AskId): void
  adoptAll(): Promise<void>
  close(): Promise<void>
}

/** Terminals of this node. Their code is loaded with the first of them, so that a server without terminals stays small. */
export function createTerminals(deps: Deps): TerminalPart {
  const { app, log } = deps
  const host = lazy(() => loadHost(deps))
  const following = app.follow.run({
    name: 'terminal-answers',
    scope: 'node',
    from: 'now',
    types: ['ask.answered', 'role.revoked', 'session.status_changed'],
    async handle(event) {
      if (event.type === 'ask.answered' && event.sessionId !== null) await host.loaded?.asks.heard(event)
      if (event.type === 'role.revoked' && event.ownerUserId !== null) await host.loaded?.roleRevoked(event.ownerUserId)
      if (event.type === 'session.status_changed' && event.sessionId !== null && hasEnded(event.data.to))
        await host.loaded?.ended(event.sessionId)
    },
  })
  return {
    ...lazyMethods(host, [
      'check',
      'start',
      'adopt',
      'list',
      'get',
      'stop',
      'end',
      'detect',
      'mayType',
      'updates',
      'printed',
      'screen',
      'input',
      'resize',
      'live',
      'cast',
      'search',
    ]),
    holdSecret(askId, sessionId, value) {
      if (!host.loaded?.isHere(sessionId)) return false
      host.loaded.asks.holdSecret(askId, value)
      return true
    },
    dropSecret: (askId) => host.loaded?.asks.dropSecret(askId),
    async adoptAll() {
      const open = await app.read.openTerminals(deps.nodeId)
      const keeperRuns = existsSync(keeperPaths(deps.loaded.dataDir).socket)
      if (open.length > 0 || keeperRuns) await (await host.get()).adoptAll()
    },
    async close() {
      await following[Symbol.asyncDispose]()
      await (await host.requested())?.close()
      log.debug({}, 'terminals released')
    },
  }
}

async function loadHost({ app, clock, log, loaded, nodeId, confine }: Deps): Promise<TerminalHost> {
  const { createTerminalHost } = await import('../edges/terminal/host/host.ts')
  const { terminal } = loaded.config
  return createTerminalHost({
    app,
    clock,
    log: log.child({ part: 'terminal' }),
    dataDir: loaded.dataDir,
    nodeId,
    masks: terminal.masks,
    recordingBytes: terminal.recordingMb * 1024 * 1024,
    watchRoots: terminal.watchRoots,
    asks: { ask: terminal.ask, afterMs: terminal.askAfterSeconds * 1000 },
    confine,
  })
}
