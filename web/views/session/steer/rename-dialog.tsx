import { useState } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import { useSessionAction } from '../session-hooks.ts'

/** What people call the session. Without a name it is called by its title. */
export function RenameDialog({ session: { id, name }, close }: { session: SessionDetail; close: () => void }) {
  const [words, setWords] = useState(name ?? '')
  const rename = useSessionAction<string | null>(id, {
    failed: 'Not renamed',
    run: (client, next) => client.renameSession({ params: { id }, body: { name: next } }),
    foresee: (_session, next) => ({ name: next }),
  })
  const submit = () => {
    const next = words.trim()
    rename.mutate(next === '' ? null : next)
    close()
  }
  return (
    <Dialog open close={close} title="Rename">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label="Name"
          hint="Leave it empty to show the title instead."
          autoFocus
          maxLength={120}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
      </form>
      <DialogActions>
        <Button onClick={close}>Keep</Button>
        <Button tone="main" onClick={submit}>
          Rename
        </Button>
      </DialogActions>
    </Dialog>
  )
}
