import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type FormEvent } from 'react'
import type { PolicyInForce, RuleKind } from '../../../../src/domain/policy/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { ApiError } from '../../../api/transport.ts'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { Heading } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Replay } from './back-test.tsx'
import { isPattern, ruleKinds, turnedOn, withPattern } from './rule-text.ts'

const kinds = Object.keys(ruleKinds) as RuleKind[]
/** After the last key, before the past is asked. */
const restMs = 400

/** “Always allow …”, without JSON: what it would have answered is shown before it applies. */
export function RuleForm({ root, policy }: { root: string; policy: PolicyInForce }) {
  const client = useClient()
  const [kind, setKind] = useState<RuleKind>('command')
  const [typed, setTyped] = useState('')
  const [rested, setRested] = useState('')
  const text = typed.trim()
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])
  const rule = { kind, pattern: text }
  const inFile = isPattern(kind, text) && (kind === 'write' || kind === 'read')
  const pattern = text.endsWith('/') ? `${text}**` : text
  const settings = inFile ? withPattern(policy.settings, kind, pattern) : null
  const isOff = policy.file !== null && !policy.file.enabled
  const tried = useQuery({
    queryKey: ['policy', root, 'tried', kind, rested],
    queryFn: () =>
      client.testPolicy({
        body: { workspaceRoot: root, ...(settings === null ? { rules: [rule] } : { settings }) },
      }),
    enabled: rested !== '' && rested === text && (!inFile || settings !== null),
    retry: false,
  })
  const stale = [['policy', root], ['rules']] as const
  const write = (next: string) =>
    client.writePolicy({ body: { workspaceRoot: root, settings: next, expected: policy.hash } })
  const add = useAction(
    async () => {
      if (settings !== null) await write(settings)
      else await client.addRule({ body: { workspaceRoot: root, rule } })
    },
    { failed: null, done: 'In force', stale, whenDone: () => setTyped('') },
  )
  const turnOn = useAction(write, { failed: 'Not turned on', done: 'Turned on', stale })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text !== '' && !add.isPending) add.mutate(undefined)
  }
  const on = turnedOn(policy.settings)
  return (
    <>
      <Heading about="It applies at once, to everyone who works there.">Always allow</Heading>
      {isOff && (
        <div role="alert" className="flex flex-col items-start gap-2 rounded-lg bg-wait-soft p-3 text-wait">
          <p>The file turns automatic answers off, also those of rules.</p>
          {on !== null && (
            <Button disabled={turnOn.isPending} onClick={() => turnOn.mutate(on)}>
              Turn on
            </Button>
          )}
        </div>
      )}
      <Card className="flex min-w-0 flex-col gap-3 p-4" aria-label="Always allow">
        <form onSubmit={submit} className="flex flex-wrap items-start gap-3">
          <div className="basis-44">
            <SelectField label="To" value={kind} onChange={({ target }) => setKind(target.value as RuleKind)}>
              {kinds.map((one) => (
                <option key={one} value={one}>
                  {ruleKinds[one].label}
                </option>
              ))}
            </SelectField>
          </div>
          <div className="min-w-0 flex-1 basis-56">
            <TextField
              label={ruleKinds[kind].field}
              placeholder={ruleKinds[kind].example}
              value={typed}
              onChange={({ target }) => {
                setTyped(target.value)
                add.reset()
              }}
              error={add.error === null ? null : refusal(add.error)}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              className="font-mono"
            />
          </div>
          <Button type="submit" tone="main" className="sm:mt-6" disabled={text === '' || add.isPending}>
            Allow always
          </Button>
        </form>
        {inFile && settings === null && (
          <p className="text-sm text-wait">The file can’t be read as JSON. Mend it below, or name one file.</p>
        )}
        {settings !== null && (
          <details className="text-sm">
            <summary className="text-soft">
              Written into <code className="font-mono">.signalbox/settings.json</code>
            </summary>
            <pre className="mt-1 max-h-60 overflow-auto rounded-lg bg-sunken p-3 font-mono" tabIndex={0}>
              {safeText(settings)}
            </pre>
          </details>
        )}
        <div aria-live="polite">
          {tried.data && rested === text ? (
            // A rule takes nothing away, so what other rules answer stays as it is.
            <Replay told={settings === null ? { ...tried.data, wouldAsk: 0 } : tried.data} />
          ) : (
            <p className="text-sm text-soft">What it would have answered in the past appears here.</p>
          )}
        </div>
      </Card>
    </>
  )
}

const refusal = (error: unknown): string =>
  error instanceof ApiError ? [error.message, error.hint].filter(Boolean).join(' ') : String(error)
