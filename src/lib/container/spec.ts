import type { EngineAddress } from './engine.ts'
import type { ContainerLimits } from './settings.ts'

/** The variable in which the runner gets its spec: it holds keys, so it is in no file and no argument. */
export const specVariable = 'SIGNALBOX_CONTAINER'

export const labels = {
  install: 'signalbox.install',
  session: 'signalbox.session',
  /** The process that holds the container, as pid and start time. */
  runner: 'signalbox.runner',
} as const

export type BindMount = { readonly from: string; readonly to: string; readonly write: boolean }

/** A provider with its key, for the gate alone. */
export type GateProvider = {
  readonly name: string
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  /** An agent named the host: it is https, and neither this machine nor a private network. The operator's own may be. */
  readonly outside: boolean
}

/** What runs one container. */
export type RunnerSpec = {
  readonly engine: EngineAddress
  readonly install: string
  readonly session: string
  readonly image: string
  /** The command inside, after our entrance. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly user: string
  /** Rootless engines map the user to itself. */
  readonly keepId: boolean
  readonly mounts: readonly BindMount[]
  /** Directories that the image declares as volumes: in memory, with sizes. */
  readonly volumes: readonly string[]
  readonly limits: ContainerLimits
  readonly allowMissingLimits: boolean
  /** A seccomp profile: a path for Podman, its text for Docker; null: the engine's own. */
  readonly seccomp: string | null
  readonly gate: GateSpec
  /** Directories whose growth counts. */
  readonly watched: readonly string[]
}

export type GateSpec = {
  /** On this machine; its directory is mounted. */
  readonly socket: string
  /** The server's socket for agents; null: none. */
  readonly server: string | null
  readonly hosts: readonly string[]
  readonly providers: readonly GateProvider[]
  /** The operator's own proxy. */
  readonly proxy: string | null
  readonly direct: string
}

/** How a command finds the container of its session. */
export type ExecSpec = Pick<RunnerSpec, 'engine' | 'install' | 'session' | 'user'>

/** Ports inside: above the ephemeral ports of the system. */
export const insidePorts = { proxy: 61_080, server: 61_081, providers: 61_082 } as const
/** Where our own files are inside. */
export const insideFolder = '/signalbox'
