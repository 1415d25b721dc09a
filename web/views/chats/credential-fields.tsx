import type { ChatPlatform } from '../../../src/client/contract/chat-instances.ts'
import { ApiError } from '../../api/transport.ts'
import { TextField } from '../../ui/field.tsx'
import { errorText } from '../../ui/states.tsx'

export type Entered = Readonly<Record<string, string>>

/** What a platform needs to know us. */
export const CredentialFields = ({
  platform,
  entered,
  enter,
}: {
  platform: ChatPlatform
  entered: Entered
  enter: (entered: Entered) => void
}) => (
  <>
    {platform.fields.map(({ name, label, secret, required, hint }) => (
      <TextField
        key={name}
        label={required ? label : `${label} (optional)`}
        hint={hint}
        required={required}
        type={secret ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        value={entered[name] ?? ''}
        onChange={({ target }) => enter({ ...entered, [name]: target.value })}
      />
    ))}
  </>
)

/** Without the fields that were left empty. */
export const filledIn = (entered: Entered): Record<string, string> =>
  Object.fromEntries(
    Object.entries(entered).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  )

/** Why credentials were refused, and what to add. */
export function CheckFailed({ error }: { error: unknown }) {
  const { message, hint } = errorText(error)
  const missing = error instanceof ApiError ? error.details?.['missing'] : undefined
  const names = Array.isArray(missing) ? missing.filter((name) => typeof name === 'string') : []
  return (
    <div role="alert" className="rounded-lg border border-line bg-stop-soft p-3">
      <p className="font-semibold text-stop">{message}</p>
      {hint && <p>{hint}</p>}
      {names.length > 0 && (
        <p className="mt-1">
          Missing: <code className="font-mono text-sm break-words">{names.join(', ')}</code>
        </p>
      )}
    </div>
  )
}

export const Warnings = ({ warnings }: { warnings: readonly string[] }) =>
  warnings.length === 0 ? null : (
    <ul className="list-disc rounded-lg bg-wait-soft py-3 pr-3 pl-8 text-wait">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  )
