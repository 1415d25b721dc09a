import type { ConfigFault, ConfigPlace } from './fault.ts'
import type { Path } from './value.ts'

/** One value somebody gave for a known key, and where each part of it stands. */
export type ConfigEntry = {
  readonly key: string
  readonly value: unknown
  /** Without a path: the source alone, without looking for the line. */
  readonly place: (path: Path | null) => ConfigPlace
}

/** What one source (file, environment, flags) says, before values are checked. */
export type Layer = {
  readonly given: readonly ConfigEntry[]
  readonly faults: readonly ConfigFault[]
}

export const emptyLayer: Layer = { given: [], faults: [] }
