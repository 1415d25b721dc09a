import { viewerOfChange } from '../../../app/administration/change-or-ask.ts'
import type { ChatPort } from '../../../app/chat/chat-port.ts'
import type { Command } from '../../../app/command.ts'
import { api } from '../../../client/contract.ts'
import type { MessagingGroupId, WiringId } from '../../../domain/chat/id.ts'
import type { AgentGroupId } from '../../../domain/user/id.ts'
import { newId } from '../../../lib/id.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../../lib/result.ts'
import { listed } from '../listed.ts'
import { dispatchOrAsk, mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

export const chatsOff: Failed = fail({
  kind: 'unavailable',
  code: 'chats_off',
  message: 'Chats are not available on this server.',
  hint: 'Its log says why.',
})

/** Agent groups, chats, wirings, destinations and strangers. */
export function mountChats(web: Web, deps: RouteDeps, chats: ChatPort | null): void {
  const { app } = deps
  const dispatch = (command: Command, call: ApiCall) => dispatchOrAsk(deps, command, call)

  /** Changes something, then shows it. */
  async function changed<T>(command: Command, call: ApiCall, show: (subject: string) => Promise<Result<T>>) {
    const done = await dispatch(command, call)
    return done.ok ? show(done.value.subject) : done
  }
  async function removed<Id extends string>(command: Command, call: ApiCall, id: Id) {
    const done = await dispatch(command, call)
    return done.ok ? ok({ id, removed: true as const }) : done
  }
  const group = (call: ApiCall) => (id: string) => app.read.agentGroup(call.caller.standing, id as AgentGroupId)
  const chat = (call: ApiCall) => (id: string) => app.read.chat(call.caller.standing, id as MessagingGroupId)
  const groupAfter = (call: ApiCall) => (id: string) =>
    app.read.agentGroup(viewerOfChange(call.caller.standing), id as AgentGroupId)
  const wiringAfter = (call: ApiCall) => (id: string) =>
    app.read.wiring(viewerOfChange(call.caller.standing), id as WiringId)

  mount(web, deps, api.listAgentGroups, (_input, { caller }) =>
    listed('agentGroups', app.read.agentGroups(caller.standing)),
  )
  mount(web, deps, api.createAgentGroup, ({ body }, call) =>
    changed({ type: 'agent_group.create', id: newId(), ...body }, call, group(call)),
  )
  mount(web, deps, api.getAgentGroup, ({ params }, call) => group(call)(params.id))
  mount(web, deps, api.updateAgentGroup, ({ params, body }, call) =>
    changed({ type: 'agent_group.update', id: params.id, ...body }, call, groupAfter(call)),
  )
  mount(web, deps, api.removeAgentGroup, ({ params }, call) =>
    removed({ type: 'agent_group.remove', id: params.id }, call, params.id),
  )
  mount(web, deps, api.listMembers, ({ params }, { caller }) =>
    listed('members', app.read.groupMembers(caller.standing, params.id)),
  )

  mount(web, deps, api.listChats, (_input, { caller }) => listed('chats', app.read.chats(caller.standing)))
  mount(web, deps, api.addChat, ({ body }, call) =>
    changed({ type: 'chat.add', id: newId(), ...body }, call, chat(call)),
  )
  mount(web, deps, api.getChat, ({ params }, call) => chat(call)(params.id))
  mount(web, deps, api.updateChat, ({ params, body }, call) =>
    changed({ type: 'chat.update', id: params.id, ...body }, call, chat(call)),
  )
  mount(web, deps, api.removeChat, ({ params }, call) =>
    removed({ type: 'chat.remove', id: params.id }, call, params.id),
  )
  mount(web, deps, api.denyChat, ({ params }, call) => changed({ type: 'chat.deny', id: params.id }, call, chat(call)))
  mount(web, deps, api.testChat, async ({ params: { id } }, call) => {
    const allowed = await app.read.mayAdminister(call.caller.standing)
    if (!allowed.ok) return allowed
    const found = await chat(call)(id)
    if (!found.ok) return found
    if (!chats) return chatsOff
    const sent = await chats.test(id)
    return sent.ok ? ok({ id, queued: true as const, connected: sent.value.isConnected }) : sent
  })

  mount(web, deps, api.listWirings, (_input, { caller }) => listed('wirings', app.read.wirings(caller.standing)))
  mount(web, deps, api.addWiring, ({ body }, call) =>
    changed({ type: 'wiring.add', id: newId(), ...body }, call, wiringAfter(call)),
  )
  mount(web, deps, api.updateWiring, ({ params, body }, call) =>
    changed({ type: 'wiring.update', id: params.id, ...body }, call, wiringAfter(call)),
  )
  mount(web, deps, api.removeWiring, ({ params }, call) =>
    removed({ type: 'wiring.remove', id: params.id }, call, params.id),
  )

  mount(web, deps, api.listDestinations, (_input, { caller }) =>
    listed('destinations', app.read.destinations(caller.standing)),
  )
  mount(web, deps, api.addDestination, ({ body }, call) =>
    changed({ type: 'destination.add', ...body }, call, async (localName) => {
      const all = await app.read.destinations(viewerOfChange(call.caller.standing))
      if (!all.ok) return all
      const made = all.value.find((one) => one.agentGroupId === body.agentGroupId && one.localName === localName)
      return made ? ok(made) : notFound('destination', localName)
    }),
  )
  mount(web, deps, api.removeDestination, async ({ params }, call) => {
    const done = await dispatch({ type: 'destination.remove', ...params }, call)
    return done.ok ? ok({ ...params, removed: true as const }) : done
  })

  mount(web, deps, api.listStrangers, (_input, { caller }) => listed('strangers', app.read.strangers(caller.standing)))
}
