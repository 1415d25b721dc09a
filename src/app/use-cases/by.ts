import type { Actor, Standing } from '../../domain/user/actor.ts'
import type { DispatchOptions } from '../dispatch.ts'

/** Who wants something done, from whatever edge. A repeated request with the same key does it once. */
export type By = { readonly actor: Actor; readonly standing: Standing; readonly once: DispatchOptions }
