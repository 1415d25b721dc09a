import type { ReactNode } from 'react'
import { Card } from '../../../ui/card.tsx'
import { Icon } from '../../../ui/icon.tsx'

type StepState = 'done' | 'now' | 'later'

const looks: Readonly<Record<StepState, string>> = {
  done: 'bg-clear-soft text-clear',
  now: 'bg-accent text-on-accent',
  later: 'bg-sunken text-soft',
}

/** One of several steps, with what it needs. */
export const Step = ({
  number,
  title,
  state,
  children,
}: {
  number: number
  title: string
  state: StepState
  children: ReactNode
}) => (
  <Card className="flex min-w-0 flex-col gap-3 p-4" aria-label={title}>
    <h2 className="flex items-center gap-2.5 font-semibold">
      <span className={`flex size-6 items-center justify-center rounded-full text-sm ${looks[state]}`}>
        {state === 'done' ? <Icon name="check" className="size-4" /> : number}
      </span>
      {title}
      {state === 'done' && <span className="sr-only">: done</span>}
    </h2>
    {children}
  </Card>
)
