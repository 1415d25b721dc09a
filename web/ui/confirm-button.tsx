import { useState, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

/** A button that asks for confirmation first. */
export function ConfirmButton({
  label,
  title,
  sure,
  run,
  children,
  disabled = false,
}: {
  label: string
  title: string
  /** Label of the confirm button. */
  sure: string
  run: () => void
  children: ReactNode
  disabled?: boolean
}) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button tone="stop-plain" disabled={disabled} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog open={open} close={() => setOpen(false)} title={title}>
        <div className="text-soft">{children}</div>
        <DialogActions>
          <Button onClick={() => setOpen(false)}>Cancel</Button>
          <Button
            tone="stop"
            onClick={() => {
              setOpen(false)
              run()
            }}
          >
            {sure}
          </Button>
        </DialogActions>
      </Dialog>
    </>
  )
}
