import { ok, fail, type Result } from '../lib/result.ts'
import { startChild, type Child, type ChildDeps } from './child.ts'
import type { Feed } from './output/feed.ts'
import type { Peer } from './protocol/peer.ts'
import type { AttachedScreen } from './pty/attachments.ts'
import type { ChildInfo, ChildSpec } from './protocol/types.ts'
import type { Frame } from './protocol/frames.ts'

/** What the keeper holds. */
export type Children = ChildDeps & {
  readonly all: Map<string, Child>
  /** Children that are being started, so that one id is started once. */
  readonly starting: Map<string, Promise<Result<Child>>>
  /** The keeper is ending and starts nothing. */
  isClosing: boolean
  /** It was asked to end and stays only for terminals, until a server comes back. */
  isForTerminals: boolean
}

export type Reply = Result<unknown> | { bytes: Uint8Array; value: unknown }

/** One connection. Its listeners end with it. */
export type KeeperCaller = {
  children: Children
  peer: Peer
  feeds: Map<number, Feed>
  screens: Map<number, AttachedScreen>
  /** Gives how many terminals keep running. */
  stop(terminals: boolean): Promise<number>
}

export type Operation = (caller: KeeperCaller, frame: Frame, number: number) => Reply | Promise<Reply> | null

export const unknownSpec = fail({
  kind: 'invalid',
  code: 'spawn_failed',
  message: 'A child without id, program or directory.',
})

const closing = fail({
  kind: 'unavailable',
  code: 'spawn_failed',
  message: 'The keeper is shutting down and starts nothing new.',
  hint: 'Try again in a moment.',
})

/** One id is one child, however often it is requested. */
export async function startOnce(children: Children, spec: ChildSpec): Promise<Result<ChildInfo>> {
  if (children.isClosing) return closing
  const { all, starting, log } = children
  const there = all.get(spec.id)
  if (there) return ok(there.info())
  const begun = starting.get(spec.id) ?? startChild(spec, children)
  starting.set(spec.id, begun)
  const started = await begun.finally(() => starting.delete(spec.id))
  if (!started.ok) return started
  if (!all.has(spec.id)) log.info({ child: spec.id, pid: started.value.info().pid }, 'a child started')
  all.set(spec.id, started.value)
  return ok(started.value.info())
}
