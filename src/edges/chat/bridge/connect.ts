import * as z from 'zod'
import { backoff } from '../../../lib/backoff.ts'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import {
  Incoming,
  type Connection,
  type Content,
  type Failure,
  type Health,
  type InstanceDeps,
  type Outgoing,
  type PrivateReader,
  type Rendered,
  type Sent,
} from '../adapter.ts'
import { largerThan, permanent } from '../http-call.ts'
import type { HostCalls, Post, ServerCalls } from './calls.ts'
import { failureOf } from './errors.ts'
import { hostOptions, type BridgeOptions } from './options.ts'
import { renderBridge } from './render.ts'
import { startThread, type HostThread } from './thread.ts'

const openMs = 30_000
const listenMs = 60_000
const callMs = 60_000
const fileMs = 120_000
const longestWaitMs = 60_000

const Body = z.object({
  markdown: z.string(),
  buttons: z.array(z.object({ action: z.string(), label: z.string(), style: z.string() })),
})

/** What an adapter may call in the server: hand over events, and remember. */
export function serverCalls(options: BridgeOptions, deps: InstanceDeps): ServerCalls {
  const { instance, receiver, log } = deps
  const state = options.state({ name: instance.name, platform: options.name })
  const methods = state as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>
  return {
    async take(event) {
      const checked = Incoming.safeParse(event)
      if (checked.success) return receiver.take(checked.data)
      // Sent again it would be no better.
      log.warn({ why: checked.error.message.slice(0, 500) }, `${options.title} sent an event in an unknown format`)
    },
    async state(method, args) {
      if (!Object.hasOwn(methods, method)) throw new Error(`the state has no method ${method}`)
      return methods[method]?.(...args)
    },
    async log(level, message, error) {
      log[level]({ error }, `${options.title}: ${message}`)
    },
  }
}

const looksRefused = /unauthori[sz]ed|invalid_auth|authentication|invalid.{0,20}token/i

/** Connects one instance. The adapter runs in a thread, which is started again whenever it ends. */
export function connectBridge(
  options: BridgeOptions,
  deps: InstanceDeps,
): Connection & { thread(): HostThread | null } {
  const { credentials, endpoints, clock, log } = deps
  const stop = new AbortController()
  let health: Health = { state: 'connecting', since: clock.now(), error: null }
  let thread: HostThread | null = null

  const setHealth = (state: Health['state'], error: string | null): void => {
    if (health.state === 'stopped' || (health.state === 'refused' && state !== 'stopped')) return
    if (health.state === state && health.error === error) return
    log.info({ state, error }, `connection to ${options.title}`)
    health = { state, since: health.state === state ? health.since : clock.now(), error }
  }

  /** One life of the adapter. Null: it may be started again. */
  async function live(onListening: () => void): Promise<'refused' | null> {
    const wanted = hostOptions(options, credentials, endpoints)
    if (!wanted.ok) {
      setHealth('refused', `${wanted.fault.message} ${wanted.fault.hint ?? ''}`.trim())
      return 'refused'
    }
    await using running = startThread(wanted.value, serverCalls(options, deps))
    await running.call('open', [], openMs)
    const { knowsItself, trouble } = await running.call('listen', [], listenMs)
    if (!knowsItself) {
      const error = trouble ?? 'the adapter does not know who it is'
      if (!looksRefused.test(error)) throw new Error(error)
      setHealth('refused', error)
      return 'refused'
    }
    thread = running
    setHealth('connected', null)
    onListening()
    const stopped = new Promise<string>((resolve) => {
      stop.signal.addEventListener('abort', () => resolve('stopped'), { once: true })
      if (stop.signal.aborted) resolve('stopped')
    })
    const reason = await Promise.race([running.ended, stopped])
    thread = null
    if (!stop.signal.aborted) throw new Error(reason)
    return null
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!stop.signal.aborted) {
      try {
        if ((await live(() => (failures = 0))) === 'refused') return
      } catch (error) {
        const failure = failureOf(error)
        setHealth(failure.kind === 'refused' ? 'refused' : 'reconnecting', failure.error)
        if (failure.kind === 'refused') return
        failures += 1
        await createWakeSignal().after(0, backoff(failures, 500, longestWaitMs), stop.signal)
      }
    }
  }
  const running = run()

  type Call = <K extends keyof HostCalls>(
    name: K,
    args: Parameters<HostCalls[K]>,
    limitMs?: number,
  ) => Promise<Awaited<ReturnType<HostCalls[K]>>>

  /** A call of the adapter. Every error is a value. */
  async function ask<T>(stopped: AbortSignal | null, work: (call: Call) => Promise<T>): Promise<T | Failure> {
    const host = thread
    if (!host || stopped?.aborted)
      return { kind: 'transient', error: host ? 'stopped' : `${options.title} is not connected` }
    const call: Call = (name, args, limitMs = callMs) => host.call(name, args, limitMs)
    let aborted: (() => void) | undefined
    const abandoned = new Promise<Failure>((resolve) => {
      aborted = () => resolve({ kind: 'unsure', error: 'stopped' })
      stopped?.addEventListener('abort', aborted, { once: true })
    })
    try {
      return await Promise.race([work(call), abandoned])
    } catch (error) {
      const failure = failureOf(error)
      if (failure.kind === 'refused') setHealth('refused', failure.error)
      return failure
    } finally {
      if (aborted) stopped?.removeEventListener('abort', aborted)
    }
  }

  async function privately(to: PrivateReader, content: Exclude<Content, { kind: 'file' }>): Promise<Sent> {
    let last: Sent = permanent('there is nothing to send')
    for (const rendered of renderBridge(content)) {
      const post = postOf(rendered)
      if (rendered.file || !post) continue
      last = await ask<Sent>(null, async (call) => {
        const told = await call('postPrivately', [{ chat: to.chat, thread: to.thread }, to.handle, post])
        if (told !== null) return { kind: 'sent', messageId: told }
        const direct = await call('openDirect', [to.handle])
        if (direct === null) return { kind: 'permanent', error: `${options.title} has no private messages` }
        return { kind: 'sent', messageId: await call('post', [{ chat: direct, thread: null }, post]) }
      })
      if (last.kind !== 'sent') return last
    }
    return last
  }

  const unrendered: Failure = { kind: 'permanent', error: 'this message was not rendered for this platform' }

  return {
    thread: () => thread,
    health: () => health,
    async send({ chat, thread: inThread, rendered }: Outgoing, stopped) {
      const post = postOf(rendered)
      if (!post) return unrendered
      return ask<Sent>(stopped, async (call) => ({
        kind: 'sent',
        messageId: await call('post', [{ chat, thread: inThread }, post], post.file ? fileMs : callMs),
      }))
    },
    find: async () => ({ kind: 'unknown', error: `${options.title} can't tell whether a message arrived` }),
    async edit({ chat, thread: inThread, messageId }, { rendered }, stopped) {
      const post = postOf(rendered)
      if (!post || post.file) return unrendered
      const edited = await ask<Sent>(stopped, async (call) => {
        await call('edit', [{ chat, thread: inThread }, messageId, post])
        return { kind: 'sent', messageId }
      })
      // The message is as it should be.
      const isSame = edited.kind === 'permanent' && /not modified/i.test(edited.error)
      return isSame ? { kind: 'sent', messageId } : edited
    },
    react: ({ chat, thread: inThread, messageId }, emoji, stopped) =>
      ask<Sent>(stopped, async (call) => {
        await call('react', [{ chat, thread: inThread }, messageId, emoji])
        return { kind: 'sent', messageId }
      }),
    privately,
    openDirect: (handle) =>
      ask(null, async (call) => {
        const id = await call('openDirect', [handle])
        if (id === null) return { kind: 'permanent' as const, error: `${options.title} has no direct messages` }
        return { kind: 'open' as const, chat: { id, name: null, isGroup: false, isDirect: true } }
      }),
    async nameOfPerson(handle, stopped) {
      const name = await ask(stopped, (call) => call('nameOfPerson', [handle]))
      return typeof name === 'string' ? name : null
    },
    async nameOfChat(chat, stopped) {
      const name = await ask(stopped, (call) => call('nameOfChat', [chat]))
      return typeof name === 'string' ? name : null
    },
    fetchFile: ({ id, bytes }, mostBytes, stopped) =>
      ask(stopped, async (call) => {
        const tooLarge = largerThan(mostBytes)
        if (bytes !== null && bytes > mostBytes) return tooLarge
        const file = await call('fetchFile', [id], fileMs)
        if (file === null) return { kind: 'permanent' as const, error: `${options.title} does not provide this file` }
        return file.length > mostBytes ? tooLarge : { kind: 'file' as const, bytes: Buffer.from(file) }
      }),
    missed: async () => ({ kind: 'read', events: [], more: false }),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
      setHealth('stopped', null)
    },
  }
}

function postOf({ body, file }: Rendered): Post | null {
  const read = Body.safeParse(body)
  return read.success ? { ...read.data, file } : null
}
