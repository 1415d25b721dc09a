import type { BridgeState } from '../../../app/chat/bridge-state.ts'
import { isJsonRecord, parseJson } from '../../../lib/parse-json.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { Credentials, Endpoints } from '../adapter.ts'
import type { HostOptions } from './calls.ts'
import { findPackage } from './find-package.ts'

export type BridgeOptions = {
  /** The platform, such as `teams`; also the type of its chats. */
  readonly name: string
  readonly title: string
  /** The package of the adapter, such as `@chat-adapter/teams`; `#createTeamsAdapter` names the function, if there are several. */
  readonly adapter: string
  /** Where the operator installs adapters: it contains `node_modules`. */
  readonly directory: string
  /** What the adapters of an instance remember. */
  state(instance: { readonly name: string; readonly platform: string }): BridgeState
}

/** Identities have the prefix of our own adapters, so that a person is the same whichever adapter is used. */
export const idPrefixOf = ({ name }: Pick<BridgeOptions, 'name'>): string => own[name] ?? `chat-${name}`

const own: Readonly<Record<string, string>> = { slack: 'slack', telegram: 'tg', discord: 'discord' }

/** Everything that the thread of an adapter needs, or why there is none. */
export function hostOptions(
  options: BridgeOptions,
  credentials: Credentials,
  endpoints: Endpoints,
): Result<HostOptions> {
  const [name = '', factory = null] = options.adapter.split('#')
  const file = findPackage(options.directory, name)
  if (!file.ok) return file
  const config = parseJson(credentials['config'] || '{}', isJsonRecord)
  if (!config.ok)
    return fail({
      kind: 'invalid',
      code: 'invalid_adapter_config',
      message: 'The configuration of the adapter is not a JSON object.',
      hint: 'See the documentation of the adapter. Example: {"botToken": "…"}',
    })
  const apiUrl = endpoints.api === '' ? {} : { apiUrl: endpoints.api }
  return ok({ file: file.value, factory, config: { ...config.value, ...apiUrl }, idPrefix: idPrefixOf(options) })
}
