import type { ReactNode } from 'react'
import { ApiError } from '../api/transport.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** Shown after a delay, so that fast loads do not flicker. */
export const Loading = ({ what = 'Loading…' }: { what?: string }) => (
  <p role="status" className="animate-late p-8 text-center text-soft">
    {what}
  </p>
)

export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) => (
  <div className="mx-auto flex max-w-md flex-col items-center gap-3 px-6 py-14 text-center">
    <span className="rounded-full bg-sunken p-3 text-soft">
      <Icon name={icon} className="size-7" />
    </span>
    <h2 className="text-lg font-semibold">{title}</h2>
    <div className="flex flex-col items-center gap-3 text-soft">{children}</div>
  </div>
)

/** The error, with the server's message if there is one, and what to do. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, hint } = errorText(error)
  return (
    <div role="alert" className="m-4 rounded-xl border border-line bg-stop-soft p-4">
      <p className="font-semibold text-stop">{message}</p>
      {hint && <p className="mt-1 text-text">{hint}</p>}
      {retry && (
        <Button className="mt-3" icon="refresh" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

export function errorText(error: unknown): { message: string; hint: string | null } {
  if (error instanceof ApiError) return { message: error.message, hint: error.hint ?? null }
  if (error instanceof TypeError)
    return { message: 'Can’t reach the server.', hint: 'Check your connection. Retrying automatically.' }
  return { message: error instanceof Error ? error.message : String(error), hint: null }
}
