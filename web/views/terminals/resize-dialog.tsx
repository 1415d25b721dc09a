import { useMutation } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { useClient } from '../../api/backend.tsx'
import type { TerminalView } from '../../terminal/terminal-text.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { errorText } from '../../ui/states.tsx'

const isSize = (size: number): boolean => Number.isInteger(size) && size >= 1 && size <= 1000

/** Resizes the terminal; never automatic. */
export function ResizeDialog({ terminal, close }: { terminal: TerminalView; close: () => void }) {
  const client = useClient()
  const [cols, setCols] = useState(String(terminal.cols))
  const [rows, setRows] = useState(String(terminal.rows))
  const size = { cols: Number(cols), rows: Number(rows) }
  const isGood = isSize(size.cols) && isSize(size.rows)
  const resize = useMutation({
    mutationFn: () => client.resizeTerminal({ params: { id: terminal.sessionId }, body: size }),
    onSuccess: close,
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (isGood) resize.mutate()
  }
  return (
    <Dialog open close={close} title="Resize">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-soft">The program redraws for everyone who is watching.</p>
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Columns"
            inputMode="numeric"
            value={cols}
            onChange={({ target }) => setCols(target.value)}
          />
          <TextField label="Rows" inputMode="numeric" value={rows} onChange={({ target }) => setRows(target.value)} />
        </div>
        {resize.error && (
          <p role="alert" className="text-stop">
            {errorText(resize.error).message} {errorText(resize.error).hint}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" tone="main" disabled={!isGood || resize.isPending}>
            Resize
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
