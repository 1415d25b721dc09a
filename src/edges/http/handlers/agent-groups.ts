import { api } from '../../../client/contract.ts'
import type { Command } from '../../../app/command.ts'
import type { AgentGroupId } from '../../../domain/user/id.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { ok } from '../../../lib/result.ts'
import { dispatchOrAsk, mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

export type GroupFolderPort = {
  look(folder: string): Promise<{ path: string; skills: readonly string[]; memory: readonly string[] }>
}

/** How agent groups run, what they are told, what they spent. */
export function mountAgentGroups(
  web: Web,
  deps: RouteDeps,
  { folders, clock }: { folders: GroupFolderPort; clock: Clock },
): void {
  const { app } = deps
  const dispatch = (command: Command, call: ApiCall) => dispatchOrAsk(deps, command, call)

  /** Paths of this machine are for people who may use it. */
  async function folderOf({ caller: { standing } }: ApiCall, id: AgentGroupId) {
    const group = await app.read.agentGroup(standing, id)
    if (!group.ok) return group
    const { path, skills, memory } = await folders.look(group.value.folder)
    return ok({ folder: app.read.seesPaths(standing) ? path : null, skills: [...skills], memory: [...memory] })
  }

  async function instructions(call: ApiCall, id: AgentGroupId) {
    const text = await app.read.groupInstructions(call.caller.standing, id)
    if (!text.ok) return text
    const folder = await folderOf(call, id)
    return folder.ok ? ok({ text: text.value, ...folder.value }) : folder
  }

  mount(web, deps, api.getGroupConfig, ({ params }, { caller }) => app.read.groupConfig(caller.standing, params.id))
  mount(web, deps, api.updateGroupConfig, async ({ params, body }, call) => {
    const done = await dispatch({ type: 'agent_group.configure', id: params.id, ...body }, call)
    return done.ok ? app.read.groupConfig(call.caller.standing, params.id) : done
  })
  mount(web, deps, api.getGroupInstructions, ({ params }, call) => instructions(call, params.id))
  mount(web, deps, api.setGroupInstructions, async ({ params, body }, call) => {
    const done = await dispatch({ type: 'agent_group.instruct', id: params.id, text: body.text }, call)
    return done.ok ? instructions(call, params.id) : done
  })
  mount(web, deps, api.groupDependents, async ({ params }, call) => {
    const found = await app.read.groupDependents(call.caller.standing, params.id)
    if (!found.ok) return found
    const folder = await folderOf(call, params.id)
    return folder.ok ? ok({ ...found.value, folder: folder.value.folder }) : folder
  })
  mount(web, deps, api.groupSpending, ({ params }, { caller }) =>
    app.read.groupSpending(caller.standing, params.id, iso(clock.now())),
  )
}
