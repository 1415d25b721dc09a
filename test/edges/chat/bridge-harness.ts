import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection, Content, InstanceDeps, Outgoing, Platform } from '../../../src/edges/chat/adapter.ts'
import { bridgePlatform } from '../../../src/edges/chat/bridge/platform.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { newId } from '../../../src/lib/id.ts'
import { openBotApi, type BotApi } from '../../support/chats/bridge-telegram.ts'
import { until } from '../../support/until.ts'
import type { World } from '../../world.ts'
import { createInbox, createTestLog, type Inbox } from './slack-harness.ts'

const root = join(import.meta.dirname, '../../..')

/** A directory as an operator would install adapters into. The adapter of Telegram runs behind the guard of these tests. */
export function installedAdapters(more: Record<string, string> = {}): { directory: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'sba-'))
  const telegram = join(root, 'node_modules/@chat-adapter/telegram/dist/index.js')
  const guard = join(root, 'test/support/chats/loopback-guard.ts')
  const packages = { telegram: `import '${guard}'\nexport { createTelegramAdapter } from '${telegram}'`, ...more }
  for (const [name, source] of Object.entries(packages)) {
    const folder = join(directory, 'node_modules/@chat-adapter', name)
    mkdirSync(folder, { recursive: true })
    const manifest = { name, type: 'module', exports: { '.': { types: './index.d.ts', import: './index.js' } } }
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
    writeFileSync(join(folder, 'index.js'), source)
  }
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }) }
}

export type Bridge = AsyncDisposable & {
  readonly api: BotApi
  readonly platform: Platform
  readonly deps: InstanceDeps
  readonly inbox: Inbox
  readonly log: ReturnType<typeof createTestLog>
  connect(): Promise<Connection>
  /** Without waiting for it. */
  connecting(): Connection
}

export async function openBridge(
  world: World,
  {
    config = {},
    adapter = 'telegram',
    more = {},
  }: { config?: object; adapter?: string; more?: Record<string, string> } = {},
): Promise<Bridge> {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await openBotApi())
  const { directory } = stack.use(installedAdapters(more))
  const platform = bridgePlatform({
    name: 'telegram',
    title: 'Telegram',
    adapter: `@chat-adapter/${adapter}`,
    directory,
    state: (instance) => world.app.chat.bridgeState(instance, Date.now),
  })
  const inbox = createInbox()
  const log = createTestLog()
  const settings = { botToken: api.token, mode: 'polling', ...config }
  const deps: InstanceDeps = {
    instance: { id: newId(), name: 'telegram' },
    credentials: { config: JSON.stringify(settings) },
    endpoints: { api: api.url },
    receiver: inbox,
    clock: systemClock,
    log,
  }
  const connecting = (): Connection => stack2.use(platform.connect({ ...deps, cursor: null }))
  const stack2 = stack.use(new AsyncDisposableStack())
  const whole = stack.move()
  return {
    api,
    platform,
    deps,
    inbox,
    log,
    connecting,
    async connect() {
      const connection = connecting()
      await until(() => connection.health().state === 'connected', { what: 'a connection' })
      return connection
    },
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  }
}

export const outgoing = (platform: Platform, content: Content): Outgoing[] =>
  platform.render(content).map((rendered) => ({
    key: newId(),
    chat: '-100',
    thread: null,
    replyTo: null,
    rendered,
    prepared: null,
  }))
