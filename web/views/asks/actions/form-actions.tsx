import { useId, useMemo, useState } from 'react'
import { useShortcuts } from '../../../app/shortcuts.ts'
import { Button } from '../../../ui/button.tsx'
import { fieldsOf, initialOf, readForm, type Filled } from '../form.ts'
import { FormFields } from '../form-fields.tsx'
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
