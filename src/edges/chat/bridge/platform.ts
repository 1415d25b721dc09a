import { canonicalJson } from '../../../lib/json.ts'
import { sha256 } from '../../../lib/secret.ts'
import type { Checked, InstanceDeps, Platform, WebhookAnswer, WebhookRequest } from '../adapter.ts'
import { connectBridge, serverCalls } from './connect.ts'
import { failureOf } from './errors.ts'
import { hostOptions, idPrefixOf, type BridgeOptions } from './options.ts'
import { mostButtons, mostText, renderBridge } from './render.ts'
import { createSpareThreads } from './spare-threads.ts'
import { startThread, type HostThread } from './thread.ts'

const openMs = 30_000
const webhookMs = 45_000

/**
 * A platform through an adapter of the Chat SDK that the operator installed. The library has no idempotency and no
 * history that shows our keys, so a message in doubt may arrive twice.
 */
export function bridgePlatform(options: BridgeOptions): Platform {
  /** Connected here, by instance. */
  const connected = new Map<string, () => HostThread | null>()

  const useSpare = createSpareThreads(async (make) => {
    const own = make()
    try {
      await own.call('open', [], openMs)
      await own.call('listen', [], webhookMs)
      return own
    } catch (error) {
      await own[Symbol.asyncDispose]()
      throw error
    }
  })

  /** Platforms that call us reach any node: without a connection here, the adapter is loaded for a while. */
  async function webhook(request: WebhookRequest, deps: InstanceDeps): Promise<WebhookAnswer> {
    const thread = connected.get(deps.instance.id)?.()
    if (thread) return pass(thread, request)
    const wanted = hostOptions(options, deps.credentials, deps.endpoints)
    if (!wanted.ok) throw new Error(wanted.fault.message)
    const key = sha256(canonicalJson([deps.credentials, deps.endpoints]))
    const make = () => startThread(wanted.value, serverCalls(options, deps), { isSpare: true })
    return useSpare(deps.instance.id, key, make, (own) => pass(own, request))
  }

  return {
    name: options.name,
    title: options.title,
    idPrefix: idPrefixOf(options),
    ids: 'local',
    delivery: 'at_least_once',
    oneAtATimePer: 'chat',
    opensThreads: false,
    limits: { text: mostText, buttons: mostButtons, fileBytes: 10_000_000 },
    steps: [],
    fields: [
      {
        name: 'config',
        label: 'Configuration of the adapter',
        secret: true,
        required: true,
        hint: `A JSON object, as in the documentation of ${options.adapter}`,
      },
    ],
    // The adapter knows where its platform is.
    defaultEndpoints: { api: '' },
    async check(credentials, endpoints): Promise<Checked> {
      const wanted = hostOptions(options, credentials, endpoints)
      if (!wanted.ok) return { ok: false, message: wanted.fault.message, hint: wanted.fault.hint ?? '', missing: [] }
      // Nothing is connected, so nothing is received or remembered.
      const nothing = { take: refuse, state: refuse, log: async () => {} }
      await using thread = startThread(wanted.value, nothing)
      try {
        const { userName, userId } = await thread.call('open', [], openMs)
        return {
          ok: true,
          self: { handle: userId ?? '', name: userName, workspace: null },
          warnings: [
            'The credentials are checked when the account connects.',
            'If the connection breaks while a message is being sent, it may arrive twice.',
          ],
        }
      } catch (error) {
        const message = `The adapter ${options.adapter} can't be used: ${failureOf(error).error}`
        return { ok: false, message, hint: 'Check its configuration.', missing: [] }
      }
    },
    connect(deps) {
      const connection = connectBridge(options, deps)
      const { id } = deps.instance
      connected.set(id, connection.thread)
      return {
        ...connection,
        async [Symbol.asyncDispose]() {
          if (connected.get(id) === connection.thread) connected.delete(id)
          await connection[Symbol.asyncDispose]()
        },
      }
    },
    render: renderBridge,
    routes: [{ path: 'events', handle: webhook }],
  }
}

async function refuse(): Promise<never> {
  throw new Error('nothing is taken during a check')
}

function pass(thread: HostThread, { method, headers, query = '', body }: WebhookRequest): Promise<WebhookAnswer> {
  const given = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  return thread.call('webhook', [{ method, headers: given, query, body }], webhookMs)
}
