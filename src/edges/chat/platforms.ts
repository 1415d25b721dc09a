import { join } from 'node:path'
import type { ChatInstance } from '../../domain/chat-instance/schema.ts'
import { webPlatform } from '../../domain/chat/web-chat.ts'
import type { Platform } from './adapter.ts'
import type { BridgeOptions } from './bridge/options.ts'

/** Loaded when an instance needs it, to keep the start fast. */
const loaders: Readonly<Record<string, () => Promise<Platform>>> = {
  web: async () => (await import('./web/platform.ts')).web,
  slack: async () => (await import('./slack/platform.ts')).slack,
  discord: async () => (await import('./discord/platform.ts')).discord,
  telegram: async () => (await import('./telegram/platform.ts')).telegram,
}

export type Platforms = {
  /** Those with an adapter of our own that people add instances of; the web chat is built in. */
  readonly names: readonly string[]
  named(name: string): Promise<Platform | null>
  /** The platform of an instance: with `package` in its settings, an adapter of the Chat SDK that was installed. */
  of(instance: Pick<ChatInstance, 'platform' | 'title' | 'settings'>): Promise<Platform | null>
}

export function createPlatforms({ dataDir, state }: { dataDir: string; state: BridgeOptions['state'] }): Platforms {
  const bridged = new Map<string, Promise<Platform>>()

  const named = async (name: string): Promise<Platform | null> =>
    Object.hasOwn(loaders, name) ? ((await loaders[name]?.()) ?? null) : null

  async function bridge(name: string, title: string, adapter: string): Promise<Platform> {
    const { bridgePlatform } = await import('./bridge/platform.ts')
    return bridgePlatform({ name, title, adapter, directory: join(dataDir, 'chat-adapters'), state })
  }

  return {
    names: Object.keys(loaders).filter((name) => name !== webPlatform),
    named,
    async of({ platform, title, settings }) {
      const { package: adapter } = settings
      if (Object.hasOwn(loaders, platform) || typeof adapter !== 'string') return named(platform)
      const key = `${platform} ${adapter}`
      const known = bridged.get(key) ?? bridge(platform, title, adapter)
      bridged.set(key, known)
      return known
    },
  }
}
