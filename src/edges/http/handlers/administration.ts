import { api } from '../../../client/contract.ts'
import { notFound, ok } from '../../../lib/result.ts'
import { listed } from '../listed.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

/** What happened with approved asks, and the credentials that were granted. */
export function mountAdministration(web: Web, deps: RouteDeps): void {
  const { app } = deps

  mount(web, deps, api.getAskLog, async ({ params, query }, { caller }) => {
    const lines = await app.read.askLog(caller.standing, params.id, query.after)
    return lines.ok ? ok({ lines: lines.value, next: lines.value.at(-1)?.seq ?? query.after }) : lines
  })

  mount(web, deps, api.listCredentials, ({ params }, { caller }) =>
    listed('credentials', app.read.credentials(caller.standing, params.id)),
  )

  mount(web, deps, api.revokeCredential, async ({ params }, { caller }) => {
    const { id, credentialId } = params
    const all = await app.read.credentials(caller.standing, id)
    if (!all.ok) return all
    if (!all.value.some((one) => one.id === credentialId)) return notFound('credential', credentialId)
    const done = await app.dispatch({ type: 'credential.revoke', id: credentialId }, caller.actor)
    return done.ok ? ok({ id: credentialId, removed: true as const }) : done
  })
}
