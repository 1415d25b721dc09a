import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PolicyInForce, PolicyRule } from '../../../../src/domain/policy/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { reposQuery, usePermissions } from '../../../api/queries.ts'
import { ApiError } from '../../../api/transport.ts'
import { useAction } from '../../../api/use-action.ts'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextArea } from '../../../ui/field.tsx'
import { Heading, Rows } from '../../../ui/rows.tsx'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { BackTest } from './back-test.tsx'
import { RuleForm } from './rule-form.tsx'
import { ruleKinds } from './rule-text.ts'
import { PolicyStatus } from './policy-status.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { ProposalRow } from '../proposal-row.tsx'

/** Answers nothing: people choose what to list. */
const sample = `{
  "enabled": false,
  "commands": [],
  "tools": [],
  "file_patterns": { "write": [], "read": [] },
  "risk_level_threshold": "low"
}
`

export function PolicyView() {
  const client = useClient()
  const navigate = useNavigate()
  const { workspace }: { workspace?: string } = useSearch({ strict: false })
  const repos = useQuery(reposQuery(client))
  // Only admins see all workspaces; others choose among repos.
  const trusted = useQuery({ queryKey: ['trusted'], queryFn: () => client.listTrusted({}), retry: false })
  const named = trusted.data?.workspaces.map(({ workspaceRoot }) => workspaceRoot) ?? []
  const root = workspace ?? repos.data?.[0]?.path ?? named[0]
  return (
    <SettingsPage title="Policy">
      <p className="text-soft">
        Signalbox answers what the rules and the file of a workspace list. Everything else is asked, and critical
        actions always are.
      </p>
      {repos.isPending && <Loading />}
      {repos.isError && <Failed error={repos.error} retry={() => void repos.refetch()} />}
      {repos.data && root === undefined && (
        <Empty icon="flag" title="No workspace to set a policy for">
          <p>Register a repo under Workspaces first.</p>
        </Empty>
      )}
      {root !== undefined && (
        <>
          <SelectField
            label="Workspace"
            value={root}
            onChange={(event) => void navigate({ to: paths.policy, search: { workspace: event.target.value } })}
          >
            {[...new Set([root, ...(repos.data ?? []).map(({ path }) => path), ...named])].map((path) => (
              <option key={path} value={path}>
                {path}
              </option>
            ))}
          </SelectField>
          <PolicyOf key={root} root={root} />
        </>
      )}
    </SettingsPage>
  )
}

function PolicyOf({ root }: { root: string }) {
  const client = useClient()
  const { administer } = usePermissions()
  const policy = useQuery({
    queryKey: ['policy', root],
    queryFn: () => client.getPolicy({ query: { workspaceRoot: root } }),
  })
  if (policy.isPending) return <Loading />
  if (policy.isError) return <Failed error={policy.error} retry={() => void policy.refetch()} />
  return (
    <>
      <PolicyStatus root={root} policy={policy.data} />
      {administer && <RuleForm root={root} policy={policy.data} />}
      <PolicyRules root={root} />
      <Editor root={root} policy={policy.data} />
    </>
  )
}

function Editor({ root, policy }: { root: string; policy: PolicyInForce }) {
  const client = useClient()
  const now = policy.settings ?? sample
  const [base, setBase] = useState({ text: now, hash: policy.hash })
  const [text, setText] = useState(now)
  const isChanged = base.hash !== policy.hash
  // Without edits of their own, people see changes by others; unsaved edits stay.
  if (isChanged && (text === base.text || text === now)) {
    setBase({ text: now, hash: policy.hash })
    setText(now)
  }
  const save = useAction(
    () => client.writePolicy({ body: { workspaceRoot: root, settings: text, expected: base.hash } }),
    {
      failed: (_input, error) =>
        error instanceof ApiError && error.code === 'policy_not_noted'
          ? 'Saved, but not in the log'
          : 'Policy not saved',
      done: 'Saved and in force',
      stale: [['policy', root]],
    },
  )
  return (
    <>
      <Heading about={policy.path ?? 'No file yet; saving creates it.'}>The file</Heading>
      {policy.faults.length > 0 && (
        <div role="alert" className="rounded-lg bg-stop-soft p-3 text-stop">
          <p className="font-semibold">The file has faults, so every action is asked:</p>
          <ul className="list-disc pl-5">
            {policy.faults.map(({ line, key, message }) => (
              <li key={`${line} ${key} ${message}`}>
                {line !== null && `line ${line}: `}
                {key} {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {policy.ignored.length > 0 && (
        <div className="rounded-lg bg-wait-soft p-3 text-wait">
          <p className="font-semibold">These entries never match:</p>
          <ul className="list-disc pl-5">
            {policy.ignored.map(({ entry, why }) => (
              <li key={entry}>
                <code className="font-mono text-sm">{entry}</code>: {why}
              </li>
            ))}
          </ul>
        </div>
      )}
      {isChanged && (
        <p role="alert" className="rounded-lg bg-wait-soft p-3 text-wait">
          Someone else changed the file, so saving would fail. Copy your text, then load their version.
        </p>
      )}
      <TextArea
        label="Settings (JSON)"
        spellCheck={false}
        rows={12}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="font-mono text-sm"
      />
      <div className="flex flex-wrap gap-2">
        <Button
          tone="main"
          disabled={text === policy.settings || save.isPending}
          onClick={() => save.mutate(undefined)}
        >
          Save
        </Button>
        <Button
          disabled={text === now}
          onClick={() => {
            setBase({ text: now, hash: policy.hash })
            setText(now)
          }}
        >
          {isChanged ? 'Use the current version' : 'Undo my changes'}
        </Button>
      </div>
      <BackTest root={root} settings={text} />
    </>
  )
}

/** Rules proposed by "always", and those in force. */
function PolicyRules({ root }: { root: string }) {
  const client = useClient()
  const rules = useQuery({
    queryKey: ['rules', root],
    queryFn: () => client.listRules({ query: { workspaceRoot: root, status: 'proposed,confirmed' } }),
  })
  const found = rules.data?.rules ?? []
  return (
    <>
      <Heading about="Made here, or suggested by “Always”: those apply once confirmed.">Rules</Heading>
      {found.length === 0 ? (
        <p className="text-soft">None for this workspace.</p>
      ) : (
        <Rows label="Rules">
          {found.map((rule) => (
            <RuleRow key={rule.id} rule={rule} />
          ))}
        </Rows>
      )}
    </>
  )
}

function RuleRow({ rule }: { rule: PolicyRule }) {
  const client = useClient()
  const params = { id: rule.id }
  return (
    <ProposalRow
      title={
        <span>
          {ruleKinds[rule.rule.kind].verb}{' '}
          <code className="font-mono text-sm break-all">{clip(safeText(rule.rule.pattern), 300)}</code>
        </span>
      }
      about={
        <>
          {rule.evidence === 0 ? 'made here' : `approved ${rule.evidence}× by people`}
          {rule.askId && (
            <>
              {' · '}
              <Link to={paths.ask} params={{ id: rule.askId }} className="text-link underline">
                source ask
              </Link>
            </>
          )}
        </>
      }
      status={rule.status}
      revoke="Ask again"
      stale={[['rules'], ['policy']]}
      acts={{
        confirm: () => client.confirmRule({ params }),
        dismiss: () => client.dismissRule({ params }),
        revoke: () => client.revokeRule({ params }),
      }}
    />
  )
}
