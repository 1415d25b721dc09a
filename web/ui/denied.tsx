import type { ReactNode } from 'react'
import { isRefused } from '../api/transport.ts'
import { deniedText, type Right } from './denied-text.ts'
import { Empty, Failed } from './states.tsx'

/** In place of what this person has no right to: what is missing, and who gives it. */
export const Denied = ({ what, needs, children }: { what: string; needs: Right; children?: ReactNode }) => (
  <Empty icon="key" title="No access">
    <p>{deniedText(what, needs)}</p>
    {children}
  </Empty>
)

/** The same beside what the person may see: one line. */
export const DeniedNote = ({ children }: { children: string }) => (
  <p className="rounded-lg bg-sunken px-3 py-2.5 text-soft">{children}</p>
)

/** A refusal, or another error with a way to try again. */
export const DeniedOrFailed = ({ error, needs, retry }: { error: unknown; needs: Right; retry: () => void }) =>
  isRefused(error) ? <Denied what="This page" needs={needs} /> : <Failed error={error} retry={retry} />
