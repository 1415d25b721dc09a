import type { Allowance } from '../../domain/session/schema.ts'
import { exactLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { printResult } from '../print-result.ts'
import type { allowedFlags } from '../table/session-agent.ts'

/** What was allowed for the session: it is answered without asking until the session ends. */
export const allowed: Handler<typeof allowedFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const { allowances } = await client.listAllowances({ params: { id } })
  const { revoke } = flags
  if (revoke === undefined)
    return printResult(context, { allowances }, () => lines(allowances.filter(({ revokedAt }) => revokedAt === null)))
  const found = allowances.filter((one) => one.id.startsWith(revoke))
  const [one, ...more] = found
  if (!one || more.length > 0)
    throw new Failure({
      exit: exit.notFound,
      code: 'allowance_not_found',
      message: one ? `${revoke} matches several.` : `Nothing that was allowed has the id ${revoke}.`,
    })
  const left = await client.revokeAllowance({ params: { id, allowanceId: one.id } })
  printResult(context, left, () => `From now on it is asked again: ${exactLine(one.what)}.`)
}

const lines = (allowances: readonly Allowance[]): string =>
  allowances.length === 0
    ? 'Nothing was allowed for the whole session.'
    : allowances.map(({ id, what }) => `${id.slice(0, 8)}  ${exactLine(what)}`).join('\n')
