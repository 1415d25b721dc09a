import type { ConfigFault, Place } from './fault.ts'
import type { Path } from './value.ts'

/** One value somebody gave for a known key, and where each part of it stands. */
export type Given = {
  readonly key: string
  readonly value: unknown
  /** Without a path: the source alone, without looking for the line. */
  readonly place: (path: Path | null) => Place
}

/** What one source (file, environment, flags) says, before values are checked. */
export type Layer = {
  readonly given: readonly Given[]
  readonly faults: readonly ConfigFault[]
}

export const emptyLayer: Layer = { given: [], faults: [] }
