import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { useWriting, NoLongerOpen } from './answer-in-progress.tsx'

/** A second confirmation. Cancel has the focus. */
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
}) => {
  const over = useWriting()
  return (
    <Dialog open close={close} title={title}>
      <div className="flex flex-col gap-3">{children}</div>
      <NoLongerOpen over={over} />
      <DialogActions>
        <Button autoFocus onClick={close}>
          Cancel
        </Button>
        <Button
          tone="stop"
          disabled={over !== null}
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
}
