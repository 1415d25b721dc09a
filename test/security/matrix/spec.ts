import type { CallerName } from './callers.ts'
import type { MatrixSetup, Subject } from './setup.ts'

/** The subject of a row, with the values in its path and its response. */
export type Prepared = Subject & {
  readonly params?: Readonly<Record<string, string>>
  /** Occurs only in responses that show the subject. */
  readonly marker?: string
  readonly more?: Readonly<Record<string, unknown>>
}

export type Prepare = (setup: MatrixSetup) => Promise<Prepared>

/** How the request of a row is made; its path comes from its name. */
export type Spec = {
  readonly on?: Prepare
  /** It changes its subject: each allowed caller gets a new one. */
  readonly fresh?: boolean
  readonly query?: string | ((subject: Prepared, setup: MatrixSetup) => string)
  readonly body?: unknown
  readonly bodyOf?: (subject: Prepared, setup: MatrixSetup, caller: CallerName) => unknown
  readonly paramsOf?: (subject: Prepared, setup: MatrixSetup, caller: CallerName) => Record<string, string>
  readonly headers?: Readonly<Record<string, string>>
  /** Sent from this machine by every caller. */
  readonly isLocal?: true
  /** It ends the login it is sent with. */
  readonly endsLogin?: true
  /** Endless: only its beginning is read. */
  readonly stream?: true
  /** It would end the server: allowed callers are tried last, and elsewhere. */
  readonly last?: true
}
export type Specs = Readonly<Record<string, Spec>>

export const none: Prepared = { id: '', agentToken: '' }
