import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { useInWords } from './in-words.tsx'
import { IsOver } from './is-over.tsx'

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
}) => {
  const over = useInWords()
  return (
    <Dialog open close={close} title={title}>
      <div className="flex flex-col gap-3">{children}</div>
      <IsOver over={over} />
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
