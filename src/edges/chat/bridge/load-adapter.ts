import { pathToFileURL } from 'node:url'
import { isRecord } from '../../../lib/parse-json.ts'
import type { HostOptions } from './calls.ts'
import type { SdkAdapter } from './sdk.ts'

const needed = ['initialize', 'postMessage', 'editMessage', 'handleWebhook'] as const

/** Loads the package and makes its adapter. Throws with a reason for people. */
export async function loadAdapter(
  { file, factory, config }: Pick<HostOptions, 'file' | 'factory' | 'config'>,
  logger: object,
): Promise<SdkAdapter> {
  const module: unknown = await import(pathToFileURL(file).href)
  const parts = isRecord(module) ? module : {}
  const names = Object.keys(parts).filter((name) => /^create\w*Adapter$/.test(name))
  const name = factory ?? names[0]
  if (factory === null && names.length > 1)
    throw new Error(`the package makes several adapters: name one of ${names.join(', ')}`)
  const make = name === undefined ? undefined : parts[name]
  if (typeof make !== 'function') throw new Error(`the package has no function ${name ?? 'create…Adapter'}`)
  const adapter: unknown = make({ ...config, logger })
  if (!isRecord(adapter) || !needed.every((method) => typeof adapter[method] === 'function'))
    throw new Error(`${name} does not make an adapter of the Chat SDK`)
  const made = adapter as unknown as SdkAdapter
  // Strangers must not learn that somebody listens, and nobody is mentioned by an agent.
  made.startTyping = async () => {}
  if (typeof made.resolveOutgoingMentions === 'function') made.resolveOutgoingMentions = async (text) => text
  return made
}
