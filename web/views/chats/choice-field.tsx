import { SelectField } from '../../ui/field.tsx'

/** A choice of a few, with one line about the chosen one. */
export const ChoiceField = <K extends string>({
  label,
  words,
  value,
  choose,
  disabled = false,
}: {
  label: string
  words: Readonly<Record<K, { label: string; about: string }>>
  value: K
  choose: (value: K) => void
  disabled?: boolean
}) => (
  <SelectField
    label={label}
    hint={words[value].about}
    value={value}
    disabled={disabled}
    onChange={({ target }) => choose(target.value as K)}
  >
    {(Object.keys(words) as K[]).map((key) => (
      <option key={key} value={key}>
        {words[key].label}
      </option>
    ))}
  </SelectField>
)
