import type { Actor, Standing } from '../../domain/user/actor.ts'
import type { DispatchOptions } from '../dispatch.ts'

/** Who makes a request, from any edge. A request that is repeated with the same key is done once. */
export type Requester = { readonly actor: Actor; readonly standing: Standing; readonly once: DispatchOptions }
