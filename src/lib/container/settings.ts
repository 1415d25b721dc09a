/** A directory or file of this machine that a container sees. */
export type ContainerMount = {
  readonly from: string
  /** Where it is seen inside; null: at its own path. */
  readonly to: string | null
  /** Also needs a grant in `containers.mounts`. */
  readonly write: boolean
}

/** A model's API that a container reaches through its gate, which adds the key. */
export type ContainerProvider = {
  /** Its path inside: http://127.0.0.1:61082/provider/NAME */
  readonly name: string
  readonly baseUrl: string
  /** Where the key is: `env:NAME` (the server's environment) or `file:/path`. Null: no key is added. */
  readonly keyRef: string | null
  /** The key itself, if administrators gave it for an agent group; it is in no file and no log. */
  readonly key?: string
  /** The header of the key; null: as usual for this name. */
  readonly header: string | null
}

export type ContainerLimits = {
  readonly memoryMb: number
  readonly cpus: number
  readonly pids: number
  /** What the home and the workspace may grow by before the container is stopped. */
  readonly diskMb: number
}

/** What a session's container is made from: the input of a launch. */
export type ContainerSettings = {
  /** Null: the base image of Signalbox. */
  readonly image: string | null
  /** Installed on top of the image; the result is an image of its own. */
  readonly packages: { readonly apt: readonly string[]; readonly npm: readonly string[] }
  /** Only what is in the allow-list `containers.mounts`. */
  readonly mounts: readonly ContainerMount[]
  readonly limits: ContainerLimits
  readonly network: {
    /** `example.org` or `*.example.org`, port 443 alone. Empty: nothing outside. */
    readonly hosts: readonly string[]
    readonly providers: readonly ContainerProvider[]
  }
  readonly env: Readonly<Record<string, string>>
}

/** One session's container. */
export type ContainerRequest = {
  readonly settings: ContainerSettings
  /** Sessions with the same key share a home, which outlives the container. Null: one for each owner, agent and repo. */
  readonly homeKey: string | null
}

export const usualLimits: ContainerLimits = { memoryMb: 2048, cpus: 2, pids: 512, diskMb: 10_240 }

export const usualContainer: ContainerSettings = {
  image: null,
  packages: { apt: [], npm: [] },
  mounts: [],
  limits: usualLimits,
  network: { hosts: [], providers: [] },
  env: {},
}
