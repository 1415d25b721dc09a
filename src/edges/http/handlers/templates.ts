import type { Command } from '../../../app/command.ts'
import type { Templates } from '../../../app/use-cases/templates.ts'
import { api } from '../../../client/contract.ts'
import type { TemplateId } from '../../../domain/template/schema.ts'
import { newId } from '../../../lib/id.ts'
import { ok } from '../../../lib/result.ts'
import { callerOf, mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'

export function mountTemplates(web: Web, deps: RouteDeps, templates: Templates): void {
  const { app } = deps

  async function changed(command: Command, call: ApiCall) {
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? app.read.template(call.caller.standing, done.value.subject as TemplateId) : done
  }

  mount(web, deps, api.listTemplates, ({ query }, call) => templates.list(query, callerOf(call)))
  mount(web, deps, api.addTemplate, ({ body }, call) => changed({ type: 'template.add', id: newId(), ...body }, call))
  mount(web, deps, api.changeTemplate, ({ params: { id }, body }, call) =>
    changed({ type: 'template.change', id, ...body }, call),
  )
  mount(web, deps, api.removeTemplate, async ({ params: { id } }, call) => {
    const done = await app.dispatch({ type: 'template.remove', id }, call.caller.actor, call.once)
    return done.ok ? ok({ id, removed: true as const }) : done
  })
  mount(web, deps, api.fillTemplate, ({ body }, call) => templates.fill(body, callerOf(call)))
}
