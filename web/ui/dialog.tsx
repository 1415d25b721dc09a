import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { safeText } from './safe-text.ts'

/** Centered on a desktop, at the bottom of a phone. */
export const Dialog = ({
  open,
  close,
  title,
  children,
}: {
  open: boolean
  close: () => void
  title: string
  children: ReactNode
}) => (
  <Base.Root open={open} onOpenChange={(next) => !next && close()}>
    <Base.Portal>
      <Base.Backdrop className="animate-appear fixed inset-0 z-40 bg-shade" />
      <Base.Popup
        className={
          'animate-appear fixed z-50 flex max-h-[88dvh] flex-col gap-4 overflow-y-auto bg-raised p-5 shadow-float ' +
          'inset-x-0 bottom-0 rounded-t-2xl pb-[max(1.25rem,env(safe-area-inset-bottom))] ' +
          'sm:inset-auto sm:top-1/2 sm:left-1/2 sm:w-[min(34rem,92vw)] sm:-translate-1/2 sm:rounded-2xl'
        }
      >
        <Base.Title className="text-lg font-semibold">{safeText(title)}</Base.Title>
        {children}
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

export const DialogActions = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">{children}</div>
)
