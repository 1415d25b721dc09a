import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import type { Filled, FormField } from './form.ts'

type Fields = {
  fields: readonly FormField[]
  filled: Filled
  faults: Readonly<Record<string, string>>
  change: (name: string, value: Filled[string]) => void
}

export const FormFields = ({ fields, filled, faults, change }: Fields) =>
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
