import type { Standing } from '../../domain/user/actor.ts'

/** As whom this edge acts, and looks. */
export const system = { kind: 'system' as const, name: 'acp' }
export const seeing: Standing = { actor: system, grants: [], memberOf: [], unknown: false }
