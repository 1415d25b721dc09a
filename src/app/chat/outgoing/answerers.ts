import { belongsTo } from '../../../domain/chat/access.ts'
import { lastMessageTo } from '../../../domain/chat/store-deliveries.ts'
import { delegatesOf } from '../../../domain/session/store-clients.ts'
import type { Holdings } from '../../../domain/user/actor.ts'
import type { UserId } from '../../../domain/user/id.ts'
import { listNames, listUsers } from '../../../domain/user/query.ts'
import type { User } from '../../../domain/user/schema.ts'
import { holderOf, loadUser } from '../../../domain/user/store.ts'
import type { Executor } from '../../../db/open.ts'
import { fail, ok, type Failed, type Result } from '../../../lib/result.ts'
import type { SendingSession } from './destinations.ts'

type Asking = Pick<SendingSession, 'id' | 'ownerUserId' | 'agentGroupId'>

/**
 * Who may answer a question of a session: the people named, by id, identity or name. Null: its owner and delegates. The
 * agent of a group asks the people of that group, and those of the session.
 */
export async function answerersOf(
  db: Executor,
  session: Asking,
  names: readonly string[],
): Promise<Result<UserId[] | null>> {
  const usual = await usualAnswerers(db, session)
  if (names.length === 0) return ok(usual)
  const { agentGroupId } = session
  const own = [session.ownerUserId, ...(await delegatesOf(db, session.id)), ...(usual ?? [])]
  const mayBeAsked = (person: User) =>
    agentGroupId === null || own.includes(person.id) || belongsTo(holdingsOf(person), agentGroupId)
  const people = (await listUsers(db)).filter((one) => one.removedAt === null && mayBeAsked(one))
  const found = new Set<UserId>()
  for (const name of names) {
    const person = personNamed(people, name.trim())
    if (!person.ok) return person
    found.add(person.value.id)
  }
  return ok([...found])
}

/** The owner, and the person who last wrote to the session in a chat. */
async function usualAnswerers(db: Executor, { id, ownerUserId }: Asking): Promise<UserId[] | null> {
  const last = await lastMessageTo(db, id)
  const sender = last ? await holderOf(db, [last.message.sender.identity]) : null
  if (sender === null || sender === ownerUserId || !(await loadUser(db, sender))) return null
  return [ownerUserId, sender]
}

const holdingsOf = ({ roles, memberOf }: User): Holdings => ({
  grants: roles,
  memberOf: memberOf.map(({ agentGroupId }) => agentGroupId),
})

function personNamed(people: readonly User[], name: string): Result<User> {
  const exact = people.find(({ id, identities }) => id === name || identities.some(({ identity }) => identity === name))
  if (exact) return ok(exact)
  const [only, ...others] = people.filter(({ displayName }) => displayName.toLowerCase() === name.toLowerCase())
  if (!only) return unknownPerson(`Unknown person: ${name}.`)
  return others.length === 0 ? ok(only) : unknownPerson(`Several people are named ${name}.`)
}

const unknownPerson = (message: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'unknown_person',
    message,
    hint: 'Name a member of your agent group, by name or by an identity such as slack:U0123ABC. Leave answerers out to ask your operator.',
  })

/** The display name in `user:<id>`; anything else as it is. */
export async function answererName(db: Executor, answeredBy: string): Promise<string> {
  const id = answeredBy.startsWith('user:') ? answeredBy.slice('user:'.length) : null
  return (id !== null && (await listNames(db)).find((person) => person.id === id)?.displayName) || answeredBy
}
