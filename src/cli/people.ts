import type { Client } from '../client/client.ts'

/** Names by id. People who may not list users see ids instead. */
export async function namesOfPeople(client: Client): Promise<ReadonlyMap<string, string>> {
  try {
    const users = (await client.listUsers({})).users
    return new Map(users.map(({ id, displayName }) => [id, displayName]))
  } catch {
    return new Map()
  }
}
