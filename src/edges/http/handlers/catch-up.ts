import { authorizeAction } from '../../../app/authorize-action.ts'
import type { CatchUp } from '../../../app/catch-up/catch-up.ts'
import { api } from '../../../client/contract.ts'
import type { CaughtUpEvent } from '../../../client/contract/catch-up.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

export function mountCatchUp(web: Web, deps: RouteDeps, catchUp: CatchUp): void {
  mount(web, deps, api.catchUp, async ({ query }, { caller }) => {
    const sessionId = query.sessionId ?? null
    const told = await catchUp.look<CaughtUpEvent>({
      who: caller.standing,
      sessionId,
      since: query.since ?? null,
      tokens: query.tokenBudget,
      minSeverity: query.minSeverity,
      shape: (item) => ({
        at: item.at,
        sessionId: item.sessionId,
        severity: item.severity,
        kind: item.kind,
        text: item.text,
        context: [...item.context],
        times: item.times,
        askId: item.askId,
      }),
    })
    const mayMove = authorizeAction(caller.actor, 'read_mark.move') === null
    if (told.ok && mayMove) await catchUp.seen(caller.standing, sessionId, told.value.cursor)
    return told
  })
}
