import type { Platform } from './adapter.ts'

/** Loaded when an instance needs it, to keep the start fast. */
const loaders: Readonly<Record<string, () => Promise<Platform>>> = {
  slack: async () => (await import('./slack/platform.ts')).slack,
  telegram: async () => (await import('./telegram/platform.ts')).telegram,
}

export const platformNames: readonly string[] = Object.keys(loaders)

export const loadPlatform = async (name: string): Promise<Platform | null> =>
  Object.hasOwn(loaders, name) ? ((await loaders[name]?.()) ?? null) : null
