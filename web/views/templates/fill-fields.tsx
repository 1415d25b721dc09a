import { useState } from 'react'
import { fillTemplate, unfilled } from '../../../src/domain/template/about.ts'
import type { Template } from '../../../src/domain/template/schema.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { SelectField, TextArea } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'

type Props = { template: Template; done: (text: string) => void; cancel: () => void }

/** One field each; below them the words as they will be. */
export function FillFields({ template: { text, fields }, done, cancel }: Props) {
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, field.default ?? ''])),
  )
  const set = (name: string, value: string) => setValues((before) => ({ ...before, [name]: value }))
  const missing = unfilled(fields, values)
  const filled = missing.length === 0 ? fillTemplate(text, values) : null
  const submit = () => {
    if (filled?.ok) done(filled.value)
  }
  return (
    <form
      className="flex flex-col gap-4"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        submit()
      }}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {fields.map(({ name, choices, default: usual }, index) =>
        choices === null ? (
          <TextArea
            key={name}
            label={name}
            rows={1}
            autoFocus={index === 0}
            hint={usual === null ? undefined : 'Optional'}
            value={values[name] ?? ''}
            onChange={({ target }) => set(name, target.value)}
          />
        ) : (
          <SelectField
            key={name}
            label={name}
            autoFocus={index === 0}
            value={values[name] ?? ''}
            onChange={({ target }) => set(name, target.value)}
          >
            {usual === null && <option value="">Choose…</option>}
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {safeText(choice)}
              </option>
            ))}
          </SelectField>
        ),
      )}
      <div>
        <p className="text-sm font-medium">Prompt</p>
        {/* Scrolls, so it has to be reachable with the keyboard. */}
        <pre
          tabIndex={0}
          aria-label="The prompt"
          className="mt-1 max-h-40 overflow-y-auto rounded-lg bg-sunken p-3 font-sans text-sm break-words whitespace-pre-wrap"
        >
          {filled?.ok ? safeText(filled.value) : safeText(text)}
        </pre>
      </div>
      {filled && !filled.ok && (
        <p role="alert" className="text-sm text-stop">
          {filled.fault.message} {filled.fault.hint}
        </p>
      )}
      <DialogActions>
        <Button onClick={cancel}>Cancel</Button>
        <Button tone="main" type="submit" disabled={!filled?.ok}>
          Insert
        </Button>
      </DialogActions>
    </form>
  )
}
