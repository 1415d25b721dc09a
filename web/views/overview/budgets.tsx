import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { BudgetPeriod, BudgetScope } from '../../../src/domain/budget/about.ts'
import type { BudgetState } from '../../../src/domain/budget/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { namesQuery, reposQuery, usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { errorText, Failed } from '../../ui/states.tsx'

const queryKey = ['budgets'] as const

/** What sessions may cost by day or month, and what they have cost. */
export function Budgets() {
  const client = useClient()
  const may = usePermissions()
  const [edited, setEdited] = useState<BudgetState | 'new' | null>(null)
  const found = useQuery({ queryKey, queryFn: () => client.listBudgets({}), refetchInterval: 60_000 })
  if (found.isError) return <Failed error={found.error} retry={() => void found.refetch()} />
  if (!found.data || (found.data.budgets.length === 0 && !may.administer)) return null
  const { budgets, timeZone } = found.data
  return (
    <section className="flex flex-col gap-3">
      <Heading about={`When one is used up, its sessions pause and admins are asked. Days are those of ${timeZone}.`}>
        Budgets
      </Heading>
      {budgets.length > 0 && (
        <Rows label="Budgets">
          {budgets.map((budget) => (
            <BudgetRow key={budget.id} budget={budget} {...(may.administer && { edit: () => setEdited(budget) })} />
          ))}
        </Rows>
      )}
      {may.administer && (
        <div>
          <Button icon="plus" onClick={() => setEdited('new')}>
            New budget
          </Button>
        </div>
      )}
      {edited !== null && <BudgetDialog budget={edited === 'new' ? null : edited} close={() => setEdited(null)} />}
    </section>
  )
}

const nameOf = ({ scope, label }: BudgetState): string =>
  scope === 'server' ? 'All sessions' : scope === 'repo' ? `Repo ${safeText(label)}` : safeText(label)

function BudgetRow({ budget, edit }: { budget: BudgetState; edit?: () => void }) {
  const client = useClient()
  const { id, spent, allowed, period, usedUp, askId } = budget
  const name = nameOf(budget)
  const remove = useAction(() => client.removeBudget({ params: { id } }), { failed: 'Not removed', stale: [queryKey] })
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {name} <span className="font-normal text-soft">a {period}</span>
          {usedUp && <Badge signal="wait">used up</Badge>}
        </span>
      }
      about={
        <span className="mt-1 flex max-w-md flex-col gap-1">
          {allowed.costUsd !== null && (
            <Used
              label={`Cost of ${name}`}
              part={spent.costUsd / allowed.costUsd}
              words={`$${spent.costUsd.toFixed(2)} of $${allowed.costUsd.toFixed(2)}`}
            />
          )}
          {allowed.tokens !== null && (
            <Used
              label={`Tokens of ${name}`}
              part={spent.tokens / allowed.tokens}
              words={`${spent.tokens.toLocaleString()} of ${allowed.tokens.toLocaleString()} tokens`}
            />
          )}
        </span>
      }
    >
      {askId !== null && edit && (
        <ButtonLink tone="main" to={paths.ask} params={{ id: askId }}>
          Answer
        </ButtonLink>
      )}
      {edit && <Button onClick={edit}>Edit</Button>}
      {edit && (
        <ConfirmButton label="Remove" title="Remove the budget?" sure="Remove" run={() => remove.mutate(undefined)}>
          Sessions that it paused continue.
        </ConfirmButton>
      )}
    </Row>
  )
}

const Used = ({ label, part, words }: { label: string; part: number; words: string }) => (
  <span>
    <meter
      aria-label={label}
      className="h-2 w-full"
      min={0}
      max={1}
      high={0.8}
      low={0.8}
      optimum={0}
      value={Math.min(part, 1)}
    />
    <span className="block">{words}</span>
  </span>
)

const periods: Readonly<Record<BudgetPeriod, string>> = { day: 'Day', month: 'Month' }

/** Empty is no limit; null is not a number. */
function amountIn(text: string, whole: boolean): number | undefined | null {
  if (text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) && value > 0 && (!whole || Number.isInteger(value)) ? value : null
}

function BudgetDialog({ budget, close }: { budget: BudgetState | null; close: () => void }) {
  const client = useClient()
  const queries = useQueryClient()
  const { data: repos } = useQuery(reposQuery(client))
  const { data: names } = useQuery(namesQuery(client))
  const [target, setTarget] = useState('server')
  const [period, setPeriod] = useState<BudgetPeriod>(budget?.period ?? 'day')
  const [cost, setCost] = useState(budget?.costUsd?.toString() ?? '')
  const [tokens, setTokens] = useState(budget?.tokens?.toString() ?? '')
  const [costUsd, tokenLimit] = [amountIn(cost, false), amountIn(tokens, true)]
  const isWrong = costUsd === null || tokenLimit === null || (costUsd === undefined && tokenLimit === undefined)
  const whose = () => {
    if (budget) return { scope: budget.scope, repoId: budget.repoId, userId: budget.userId }
    const repo = repos?.find(({ id }) => target === `repo:${id}`)
    const person = names?.people.find(({ id }) => target === `person:${id}`)
    const scope: BudgetScope = repo ? 'repo' : person ? 'person' : 'server'
    return { scope, repoId: repo?.id ?? null, userId: person?.id ?? null }
  }
  const save = useMutation({
    mutationFn: () =>
      client.setBudget({ body: { ...whose(), period, costUsd: costUsd ?? null, tokens: tokenLimit ?? null } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey })
      close()
    },
  })
  return (
    <Dialog open close={close} title={budget ? `Budget of ${nameOf(budget)}` : 'New budget'}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isWrong && !save.isPending) save.mutate()
        }}
      >
        {budget === null && (
          <>
            <SelectField label="For" value={target} onChange={(event) => setTarget(event.target.value)}>
              <option value="server">All sessions</option>
              {repos?.map(({ id, name }) => (
                <option key={id} value={`repo:${id}`}>
                  Repo {safeText(name)}
                </option>
              ))}
              {names?.people.map(({ id, displayName }) => (
                <option key={id} value={`person:${id}`}>
                  {safeText(displayName)}
                </option>
              ))}
            </SelectField>
            <SelectField
              label="Period"
              value={period}
              onChange={(event) => setPeriod(event.target.value as BudgetPeriod)}
            >
              {Object.entries(periods).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </SelectField>
          </>
        )}
        <TextField
          label="Cost in US dollars"
          inputMode="decimal"
          autoFocus
          value={cost}
          error={costUsd === null ? 'Enter an amount, such as 20 or 0.50.' : null}
          onChange={(event) => setCost(event.target.value)}
        />
        <TextField
          label="Tokens (optional)"
          inputMode="numeric"
          value={tokens}
          error={tokenLimit === null ? 'Enter a whole number.' : null}
          onChange={(event) => setTokens(event.target.value)}
        />
        {save.isError && (
          <p role="alert" className="text-sm text-stop">
            Not saved: {errorText(save.error).message}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button tone="main" type="submit" disabled={isWrong || save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
