import { Icon } from '../../../ui/icon.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { stepsOf, type PlanStep } from './plan-steps.ts'

const marks: Readonly<Record<PlanStep['status'], { words: string; look: string }>> = {
  done: { words: 'done', look: 'text-soft line-through decoration-line-strong' },
  in_progress: { words: 'now', look: 'font-medium' },
  pending: { words: 'to do', look: 'text-soft' },
}

/** The agent's plan and its progress. */
export function Plan({ steps: entries, title = 'Plan' }: { steps: readonly unknown[]; title?: string }) {
  const steps = stepsOf(entries)
  const done = steps.filter(({ status }) => status === 'done').length
  if (steps.length === 0) return null
  return (
    <section aria-label={title} className="rounded-lg border border-line bg-panel p-3">
      <div className="mb-2 flex items-center gap-3 text-sm">
        <span className="font-semibold">{title}</span>
        <span
          role="progressbar"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={steps.length}
          aria-valuenow={done}
          className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-full bg-sunken"
        >
          <span className="block h-full bg-accent" style={{ width: `${(done / steps.length) * 100}%` }} />
        </span>
        <span className="text-soft tabular-nums">
          {done} of {steps.length}
        </span>
      </div>
      <ol className="flex flex-col gap-1 text-[0.94rem]">
        {steps.map(({ label, status }, index) => (
          <li key={index} className="flex items-start gap-2.5">
            <span className={`mt-1 grid size-4 shrink-0 place-items-center rounded-full border ${ring[status]}`}>
              {status === 'done' && <Icon name="check" className="size-3" />}
            </span>
            <span className={`min-w-0 break-words ${marks[status].look}`}>
              {clip(safeText(label), 1000)}
              <span className="sr-only"> ({marks[status].words})</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

const ring: Readonly<Record<PlanStep['status'], string>> = {
  done: 'border-transparent bg-clear-soft text-clear',
  in_progress: 'border-info border-2',
  pending: 'border-line-strong',
}
