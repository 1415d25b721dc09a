import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'

/** The second, deliberate yes: the way out is what one lands on. */
export const ConfirmDialog = ({
  title,
  action,
  close,
  confirm,
  children,
}: {
  title: string
  action: string
  close: () => void
  confirm: () => void
  children: ReactNode
}) => (
  <Dialog open close={close} title={title}>
    <div className="flex flex-col gap-3">{children}</div>
    <DialogActions>
      <Button autoFocus onClick={close}>
        Cancel
      </Button>
      <Button
        tone="stop"
        onClick={() => {
          close()
          confirm()
        }}
      >
        {action}
      </Button>
    </DialogActions>
  </Dialog>
)
