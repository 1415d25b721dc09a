import { useState, type FormEvent } from 'react'
import type { AgentInfo, SignInMethod } from '../../../../src/client/contract/agents.ts'
import { useClient } from '../../../api/backend.tsx'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { TextField } from '../../../ui/field.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { RunHere } from './run-here.tsx'

/** The ways to sign in an agent: its login command in a terminal, and what it offers itself. */
export function SignInAgent({ agent, mayRun, signedIn }: { agent: AgentInfo; mayRun: boolean; signedIn: () => void }) {
  if (!agent.installed) return <p className="text-soft">After it is installed.</p>
  const { loginCommand, signIn, ready } = agent
  const ways = (
    <>
      {loginCommand && (
        <div className="flex min-w-0 flex-col gap-2">
          <p className="text-soft">With its own program, on the server, as its user:</p>
          <CopyText text={loginCommand.join(' ')} label="Copy the command" />
          {mayRun && (
            <RunHere
              label="Sign in"
              name={`Sign in to ${agent.title}`}
              command={loginCommand}
              ended={signedIn}
              tone={ready ? 'plain' : 'main'}
            />
          )}
        </div>
      )}
      {signIn.map((method) => (
        <Method key={method.id} agent={agent} method={method} mayRun={mayRun} signedIn={signedIn} />
      ))}
      {loginCommand === null && signIn.length === 0 && (
        <p className="text-soft">
          It offers no way to sign in here. Set its key under{' '}
          <code className="font-mono text-sm">[agents.{agent.name}] env</code> in config.toml, or sign in with its own
          program.
        </p>
      )}
    </>
  )
  if (ready !== true) return ways
  return (
    <>
      <p className="text-soft">
        It opened a session without asking to sign in. Some agents ask at the first prompt: try it.
      </p>
      {(loginCommand !== null || signIn.length > 0) && (
        <details>
          <summary className="text-sm text-soft">Sign in as somebody else</summary>
          <div className="mt-3 flex flex-col gap-3">{ways}</div>
        </details>
      )}
    </>
  )
}

/** One of the agent's own methods. */
function Method({
  agent,
  method,
  mayRun,
  signedIn,
}: {
  agent: AgentInfo
  method: SignInMethod
  mayRun: boolean
  signedIn: () => void
}) {
  const client = useClient()
  const { id: methodId, variables, key: takesKey, command } = method
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [key, setKey] = useState('')
  const signIn = useAction(
    () =>
      client.signInAgent({
        params: { name: agent.name },
        body: { methodId, variables: { ...values }, ...(key !== '' && { key }) },
      }),
    {
      failed: 'Not signed in',
      whenDone({ ready }) {
        setKey('')
        setValues({})
        if (ready) signedIn()
      },
    },
  )
  const isComplete = variables.every((name) => (values[name] ?? '') !== '') && (!takesKey || key !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isComplete) signIn.mutate(undefined)
  }
  const secret = { type: 'password', autoComplete: 'off', spellCheck: false } as const
  return (
    <form onSubmit={submit} className="flex min-w-0 flex-col gap-3 border-t border-line pt-3">
      <div>
        <h3 className="font-medium break-words">{safeText(method.name)}</h3>
        {method.description !== '' && <p className="text-sm break-words text-soft">{safeText(method.description)}</p>}
      </div>
      {command !== null && (
        <>
          <p className="text-sm text-wait">
            The agent proposes this command. Look at it before you run it in a terminal.
          </p>
          <CopyText text={safeText(command)} label="Copy the command" />
        </>
      )}
      {mayRun && command === null && (
        <>
          {variables.map((name) => (
            <TextField
              key={name}
              label={name}
              hint="Goes to the agent, which may keep it. Signalbox does not."
              value={values[name] ?? ''}
              onChange={({ target }) => setValues((before) => ({ ...before, [name]: target.value }))}
              {...secret}
            />
          ))}
          {takesKey && (
            <TextField
              label="API key"
              hint="Goes to the agent, which may keep it. Signalbox does not."
              value={key}
              onChange={({ target }) => setKey(target.value)}
              {...secret}
            />
          )}
          {signIn.data && !signIn.data.ready && (
            <p role="alert" className="text-sm break-words text-stop">
              {safeText(signIn.data.error ?? 'The agent did not accept it.')}
            </p>
          )}
          <div>
            <Button type="submit" icon="key" disabled={!isComplete || signIn.isPending}>
              {signIn.isPending ? 'Signing in…' : `Sign in: ${safeText(method.name)}`}
            </Button>
          </div>
        </>
      )}
    </form>
  )
}
