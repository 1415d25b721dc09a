import type { Actor, Standing } from '../../domain/user/actor.ts'
import type { DispatchOptions } from '../dispatch.ts'

/** Who makes a request, from any edge. Requests with the same key are carried out once. */
export type Requester = { readonly actor: Actor; readonly standing: Standing; readonly once: DispatchOptions }
