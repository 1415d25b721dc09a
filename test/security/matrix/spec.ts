import type { CallerName } from './callers.ts'
import type { Ground, Subject } from './ground.ts'

/** What a row is asked about, with what its address and its answer hold. */
export type Prepared = Subject & {
  readonly params?: Readonly<Record<string, string>>
  /** In an answer that shows the subject, and in no other. */
  readonly marker?: string
  readonly more?: Readonly<Record<string, unknown>>
}

export type Prepare = (ground: Ground) => Promise<Prepared>

/** How the request of a row is made; its address comes from its name. */
export type Spec = {
  readonly on?: Prepare
  /** It changes its subject: each caller who is let gets another one. */
  readonly fresh?: boolean
  readonly query?: string | ((subject: Prepared, ground: Ground) => string)
  readonly body?: unknown
  readonly bodyOf?: (subject: Prepared, ground: Ground, caller: CallerName) => unknown
  readonly paramsOf?: (subject: Prepared, ground: Ground, caller: CallerName) => Record<string, string>
  readonly headers?: Readonly<Record<string, string>>
  /** It comes from this machine, whoever sends it. */
  readonly isLocal?: true
  /** It ends the login it comes with. */
  readonly endsLogin?: true
  /** It has no end: only its beginning is looked at. */
  readonly stream?: true
  /** What carries it out would end the server: who is let is tried last, and elsewhere. */
  readonly last?: true
}
export type Specs = Readonly<Record<string, Spec>>

export const none: Prepared = { id: '', agentToken: '' }
