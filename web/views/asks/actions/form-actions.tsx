import { useId, useMemo, useState } from 'react'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { CheckField, SelectField, TextArea, TextField } from '../../../ui/field.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { fieldsOf, initialOf, readForm, type Filled, type FormField } from '../form.ts'
import type { ActionProps } from './action-props.ts'
import { ActionBar, KeyButton, Row } from './action-bar.tsx'
import { MessageDialog } from './message-dialog.tsx'

/** A form from the agent. */
export function FormActions({ subject, keys, resting, bar, send }: ActionProps<'elicitation'>) {
  const id = useId()
  const fields = useMemo(() => fieldsOf(subject.schema), [subject.schema])
  const [filled, setFilled] = useState<Filled>(() => initialOf(fields))
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({})
  const [declining, setDeclining] = useState(false)
  useShortcuts({ r: keys && !resting ? () => setDeclining(true) : undefined })
  const submit = () => {
    const read = readForm(fields, filled)
    setFaults(read.faults)
    if (Object.keys(read.faults).length === 0) send({ outcome: 'accept', content: read.content })
  }
  return (
    <>
      <form
        id={id}
        noValidate
        className="flex max-w-xl flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!resting) submit()
        }}
      >
        <FormFields
          fields={fields}
          filled={filled}
          faults={faults}
          change={(name, value) => setFilled((before) => ({ ...before, [name]: value }))}
        />
      </form>
      <ActionBar className={bar}>
        <Row>
          <KeyButton letter="r" keys={keys} disabled={resting} onClick={() => setDeclining(true)}>
            Decline
          </KeyButton>
          <Button tone="main" type="submit" form={id} disabled={resting}>
            Send
          </Button>
        </Row>
      </ActionBar>
      {declining && (
        <MessageDialog
          title="Decline"
          label="Reason (optional)"
          action="Decline"
          tone="stop"
          close={() => setDeclining(false)}
          send={(words) => send({ outcome: 'decline', reason: words === '' ? null : words })}
        />
      )}
    </>
  )
}

type FormFieldsProps = {
  fields: readonly FormField[]
  filled: Filled
  faults: Readonly<Record<string, string>>
  change: (name: string, value: Filled[string]) => void
}

const FormFields = ({ fields, filled, faults, change }: FormFieldsProps) =>
  fields.map((field) => (
    <Field
      key={field.name}
      field={field}
      given={filled[field.name] ?? field.initial}
      fault={faults[field.name] ?? null}
      change={(value) => change(field.name, value)}
    />
  ))

type SingleFieldProps = {
  field: FormField
  given: Filled[string]
  fault: string | null
  change: (value: Filled[string]) => void
}

function Field({ field, given, fault, change }: SingleFieldProps) {
  const label = `${safeText(field.label)}${field.required || field.type === 'yes_no' ? '' : ' (optional)'}`
  const hint = field.hint === null ? undefined : safeText(field.hint)
  const common = { label, hint, error: fault, 'aria-required': field.required }
  switch (field.type) {
    case 'yes_no':
      return (
        <CheckField
          label={label}
          hint={hint}
          checked={given === true}
          onChange={({ target }) => change(target.checked)}
        />
      )
    case 'one_of':
      return (
        <SelectField {...common} value={String(given)} onChange={({ target }) => change(target.value)}>
          <option value="">{field.required ? 'Choose …' : 'None'}</option>
          {field.choices.map(({ value, label: words }) => (
            <option key={value} value={value}>
              {safeText(words)}
            </option>
          ))}
        </SelectField>
      )
    case 'some_of':
      return <Several field={field} label={label} hint={hint} fault={fault} given={given} change={change} />
    case 'number':
      return (
        <TextField
          {...common}
          inputMode={field.whole ? 'numeric' : 'decimal'}
          value={String(given)}
          onChange={({ target }) => change(target.value)}
        />
      )
    case 'text':
      return field.long ? (
        <TextArea {...common} rows={1} value={String(given)} onChange={({ target }) => change(target.value)} />
      ) : (
        <TextField
          {...common}
          type={field.format}
          value={String(given)}
          onChange={({ target }) => change(target.value)}
        />
      )
    default:
      return field satisfies never
  }
}

function Several({
  field,
  label,
  hint,
  fault,
  given,
  change,
}: Omit<SingleFieldProps, 'field'> & {
  field: Extract<FormField, { type: 'some_of' }>
  label: string
  hint: string | undefined
}) {
  const chosen = Array.isArray(given) ? given : []
  return (
    <fieldset>
      <legend className="text-sm font-medium">{label}</legend>
      {hint && <p className="text-sm text-soft">{hint}</p>}
      {field.choices.map(({ value, label: words }) => (
        <CheckField
          key={value}
          label={safeText(words)}
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            change(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
          }
        />
      ))}
      {fault && (
        <p role="alert" className="text-sm text-stop">
          {fault}
        </p>
      )}
    </fieldset>
  )
}
