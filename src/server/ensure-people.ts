import { userInfo } from 'node:os'
import type { App } from '../app/app.ts'
import type { Actor } from '../domain/user/actor.ts'
import type { UserId } from '../domain/user/schema.ts'
import { newId } from '../lib/id.ts'
import type { Result } from '../lib/result.ts'

const start: Actor = { kind: 'system', name: 'start' }

/** The first start creates the local owner; every start adds people for the identities in the configuration. */
export async function ensurePeople(app: App, authorizedUserIds: readonly string[]): Promise<UserId> {
  const owner = (await app.read.firstOwner()) ?? (await createOwner(app))
  for (const identity of authorizedUserIds) {
    if ((await app.read.holderOfIdentity(identity)) !== null) continue
    const displayName = identity.slice(identity.indexOf(':') + 1)
    await done(app.dispatch({ type: 'user.create', id: newId(), displayName, identities: [identity] }, start))
  }
  return owner
}

async function createOwner(app: App): Promise<UserId> {
  const name = localName()
  const identity = `local:${name}`
  if ((await app.read.holderOfIdentity(identity)) === null)
    await done(app.dispatch({ type: 'user.create', id: newId(), displayName: name, identities: [identity] }, start))
  const id = await app.read.holderOfIdentity(identity)
  if (id === null) throw new Error(`${identity} was not created`)
  await done(app.dispatch({ type: 'role.grant', userId: id, role: 'owner', agentGroupId: null }, start))
  return id
}

/** A conflict is fine: another node did the same at the same time. */
async function done(work: Promise<Result<unknown>>): Promise<void> {
  const result = await work
  if (!result.ok && result.fault.kind !== 'conflict') throw new Error(result.fault.message)
}

function localName(): string {
  try {
    return userInfo().username.replaceAll(/\s+/g, '-') || 'owner'
  } catch {
    return 'owner'
  }
}
