import type { ReactNode } from 'react'

export type Signal = 'clear' | 'wait' | 'stop' | 'info' | 'plain'

const signals: Readonly<Record<Signal, string>> = {
  clear: 'bg-clear-soft text-clear',
  wait: 'bg-wait-soft text-wait',
  stop: 'bg-stop-soft text-stop',
  info: 'bg-info-soft text-info',
  plain: 'bg-sunken text-soft',
}

export const Badge = ({
  signal = 'plain',
  title,
  children,
}: {
  signal?: Signal
  title?: string
  children: ReactNode
}) => (
  <span
    title={title}
    className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${signals[signal]}`}
  >
    {children}
  </span>
)
