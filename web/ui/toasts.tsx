import { Toast } from '@base-ui/react/toast'
import { useRef, type ReactNode } from 'react'
import { IconButton } from './button.tsx'
import { safeText } from './safe-text.ts'
import { errorText } from './states.tsx'
import { useClearOfBars } from './use-clear-of-bars.ts'

export type ToastAction = { label: string; run: () => void }
type ToastContent = { title: string; body?: string; action?: ToastAction; bad?: boolean; ms?: number; key?: string }
export type ShowToast = (note: ToastContent) => void

/** Short messages about what just happened, with an action. */
export function useToast(): ShowToast {
  const { add, close } = Toast.useToastManager()
  return ({ title, body, action, bad, ms, key }) => {
    const id: string = add({
      // They contain names of sessions, people and files.
      title: safeText(title),
      description: body === undefined ? undefined : safeText(body),
      type: bad ? 'bad' : 'good',
      priority: bad ? 'high' : 'low',
      timeout: ms ?? (action ? 12_000 : bad ? 10_000 : 5000),
      ...(key !== undefined && { id: key }),
      // A replacement must not keep the earlier action.
      actionProps: action
        ? {
            children: action.label,
            onClick: () => {
              close(id)
              action.run()
            },
          }
        : {},
    })
  }
}

/** Reports a failure with the server's message. */
export function useFailureToast(): (error: unknown, what: string) => void {
  const say = useToast()
  return (error, what) => {
    const { message, hint } = errorText(error)
    say({ title: what, body: hint ? `${message} ${hint}` : message, bad: true })
  }
}

// On phones, dialogs cover the toasts; good news can wait behind them.
const besideDialogs = '[body:has([role=dialog]:not([aria-modal=false]))_&]:max-sm:hidden'

/** At the edge of the window, where it covers no buttons. */
function ShownToasts() {
  const { toasts } = Toast.useToastManager()
  const place = useRef<HTMLDivElement>(null)
  useClearOfBars(place, toasts.length)
  return (
    <Toast.Viewport
      ref={place}
      className="fixed inset-x-3 bottom-(--rest) z-60 flex flex-col gap-2 [--rest:72px] md:right-4 md:left-auto md:w-92 md:[--rest:16px]"
    >
      {toasts.map((toast) => (
        <Toast.Root
          key={toast.id}
          toast={toast}
          className={`${toast.type === 'bad' ? '' : besideDialogs} animate-appear flex items-start gap-3 rounded-xl border bg-raised p-3 pl-4 shadow-float ${toast.type === 'bad' ? 'border-stop' : 'border-line'}`}
        >
          <div className="min-w-0 flex-1 py-1">
            <Toast.Title className="font-medium break-words" />
            <Toast.Description className="text-sm break-words text-soft" />
          </div>
          <Toast.Action className="min-h-11 rounded-lg px-3 font-semibold text-link hover:bg-sunken pointer-fine:min-h-9" />
          <Toast.Close render={<IconButton icon="cross" label="Close" />} />
        </Toast.Root>
      ))}
    </Toast.Viewport>
  )
}

export const Toasts = ({ children }: { children: ReactNode }) => (
  <Toast.Provider limit={4}>
    {children}
    <Toast.Portal>
      <ShownToasts />
    </Toast.Portal>
  </Toast.Provider>
)
