import type { Standing } from '../../domain/user/actor.ts'

/** The actor this edge dispatches commands as, and the standing it reads with. */
export const system = { kind: 'system' as const, name: 'acp' }
export const systemViewer: Standing = { actor: system, grants: [], memberOf: [], unknown: false }
