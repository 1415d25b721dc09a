import type { ConfigFault, ConfigPlace } from './fault.ts'
import type { Path } from './value.ts'

/** One value for a known key, and the position of each part of it. */
export type ConfigEntry = {
  readonly key: string
  readonly value: unknown
  /** Without a path: only the source, without the line. */
  readonly place: (path: Path | null) => ConfigPlace
}

/** The values of one source (file, environment, flags) before they are checked. */
export type Layer = {
  readonly given: readonly ConfigEntry[]
  readonly faults: readonly ConfigFault[]
}

export const emptyLayer: Layer = { given: [], faults: [] }
