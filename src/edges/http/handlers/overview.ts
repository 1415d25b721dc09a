import { api } from '../../../client/contract.ts'
import { overviewCsv } from '../../../client/overview-csv.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { fail } from '../../../lib/result.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'

const dayMs = 86_400_000
const usualDays = 30

export function mountOverview(web: Web, deps: RouteDeps, clock: Clock): void {
  mount(web, deps, api.overview, async ({ query }, { caller }) => {
    const to = query.to ?? iso(clock.now()).slice(0, 10)
    const from = query.from ?? iso(Date.parse(to) - (usualDays - 1) * dayMs).slice(0, 10)
    if (from > to)
      return fail({
        kind: 'invalid',
        code: 'empty_span',
        message: `${from} is after ${to}.`,
        hint: 'Give the first day as from and the last as to.',
      })
    const found = await deps.app.read.overview(caller.standing, { from, to }, query.by)
    if (!found.ok || query.format === 'json') return found
    const name = `overview-${query.by}-${from}-${to}.csv`
    return new Response(overviewCsv(found.value), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
        'cache-control': 'no-store',
      },
    })
  })
}
