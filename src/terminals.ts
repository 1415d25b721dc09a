import { existsSync } from 'node:fs'
import type { App } from './app/app.ts'
import type { Terminals } from './app/terminals.ts'
import type { LoadedConfig } from './config/index.ts'
import type { AskId } from './domain/ask/schema.ts'
import type { SessionId } from './domain/session/id.ts'
import { hasEnded } from './domain/session/status.ts'
import type { Confined, TerminalHost } from './edges/terminal/host/host.ts'
import { placeOf } from './keeper/place.ts'
import type { Clock } from './lib/clock.ts'
import type { Logger } from './lib/log.ts'
import type { Result } from './lib/result.ts'

type Deps = {
  app: App
  clock: Clock
  log: Logger
  loaded: LoadedConfig
  nodeId: string
  confine(sessionId: SessionId, argv: readonly [string, ...string[]]): Promise<Result<Confined | null>>
}

export type TerminalPart = Terminals & {
  /** False where another node looks after the terminal: what is held here would be typed nowhere. */
  holdSecret(askId: AskId, sessionId: SessionId, value: string): boolean
  dropSecret(askId: AskId): void
  adoptAll(): Promise<void>
  close(): Promise<void>
}

/** Terminals of this node. What they need is loaded with the first of them, so that a server without any stays small. */
export function createTerminals(deps: Deps): TerminalPart {
  const { app, log } = deps
  let loading: Promise<TerminalHost> | null = null
  let loaded: TerminalHost | null = null
  const load = (): Promise<TerminalHost> => {
    loading ??= build(deps).then((host) => (loaded = host))
    return loading
  }
  const answering = app.follow.run({
    name: 'terminal-answers',
    scope: 'node',
    from: 'now',
    async handle(event) {
      if (event.type === 'ask.answered' && event.sessionId !== null) await loaded?.asks.heard(event)
      if (event.type === 'role.revoked' && event.ownerUserId !== null) await loaded?.roleRevoked(event.ownerUserId)
      if (event.type === 'session.status_changed' && event.sessionId !== null && hasEnded(event.data.to))
        await loaded?.ended(event.sessionId)
    },
  })
  return {
    check: async (input) => (await load()).check(input),
    start: async (input) => (await load()).start(input),
    adopt: async (childId, actor) => (await load()).adopt(childId, actor),
    list: async (actor, filter) => (await load()).list(actor, filter),
    get: async (id, actor) => (await load()).get(id, actor),
    stop: async (id, actor) => (await load()).stop(id, actor),
    end: async (id, actor) => (await load()).end(id, actor),
    detect: async (id, actor) => (await load()).detect(id, actor),
    mayType: async (id, actor) => (await load()).mayType(id, actor),
    updates: async (id, input, actor) => (await load()).updates(id, input, actor),
    printed: async (id, input, actor) => (await load()).printed(id, input, actor),
    screen: async (id, format, actor) => (await load()).screen(id, format, actor),
    input: async (input) => (await load()).input(input),
    resize: async (id, size, actor) => (await load()).resize(id, size, actor),
    live: async (id, from, actor, signal) => (await load()).live(id, from, actor, signal),
    cast: async (id, actor) => (await load()).cast(id, actor),
    search: async (query, actor) => (await load()).search(query, actor),
    holdSecret(askId, sessionId, value) {
      if (!loaded?.isHere(sessionId)) return false
      loaded.asks.holdSecret(askId, value)
      return true
    },
    dropSecret: (askId) => loaded?.asks.dropSecret(askId),
    async adoptAll() {
      const open = await app.read.openTerminals(deps.nodeId)
      const traces = existsSync(placeOf(deps.loaded.dataDir).socket)
      if (open.length > 0 || traces) await (await load()).adoptAll()
    },
    async close() {
      await answering[Symbol.asyncDispose]()
      if (loading) await (await load()).close()
      log.debug({}, 'terminals released')
    },
  }
}

async function build({ app, clock, log, loaded, nodeId, confine }: Deps): Promise<TerminalHost> {
  const { createTerminalHost } = await import('./edges/terminal/host/host.ts')
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
