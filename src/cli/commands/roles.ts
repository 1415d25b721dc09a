import type { Handler } from '../command.ts'
import { findGroup, findUser } from '../find-by-id.ts'
import type { roleFlags } from '../table/people.ts'
import { showPerson } from './users.ts'

/** The parser accepts only listed roles. */
type RoleName = 'owner' | 'admin' | 'machine'

export const grantRole: Handler<typeof roleFlags> = async ({ args: [user = '', role = ''], flags }, context) => {
  const { client } = await context.api()
  const agentGroupId = flags.group === undefined ? null : await findGroup(client, flags.group)
  const id = await findUser(client, user)
  const body = { role: role as RoleName, agentGroupId }
  showPerson(context, await client.grantRole({ params: { id }, body }))
}

export const revokeRole: Handler<typeof roleFlags> = async ({ args: [user = '', role = ''], flags }, context) => {
  const { client } = await context.api()
  const agentGroupId = flags.group === undefined ? null : await findGroup(client, flags.group)
  const id = await findUser(client, user)
  const query = agentGroupId === null ? {} : { agentGroupId }
  showPerson(context, await client.revokeRole({ params: { id, role: role as RoleName }, query }))
  if (role === 'machine' && !context.json)
    context.out.note(
      'Their programs keep running, but they can no longer type into them, prompt them or approve their asks. See docs/access.md.',
    )
}
