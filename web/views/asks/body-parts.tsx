import type { ReactNode } from 'react'
import { LongText } from '../../ui/markdown.tsx'
import { exactText, safeText } from '../../ui/safe-text.ts'

/** A part of what is asked, under its own small title. */
export const Part = ({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) => (
  <section className="flex min-w-0 flex-col gap-1.5">
    <div className="flex flex-wrap items-baseline gap-x-3 text-sm">
      <h3 className="font-semibold">{title}</h3>
      {aside && <div className="min-w-0 break-all text-soft">{aside}</div>}
    </div>
    {children}
  </section>
)

/** Exactly what a machine would read: wrapped, never cut, nothing hidden in it. */
export const Exact = ({ text }: { text: string }) => (
  <div className="rounded-lg border border-line bg-sunken px-3 py-2.5">
    <LongText text={exactText(text)} />
  </div>
)

export const ExactJson = ({ value }: { value: unknown }) => <Exact text={JSON.stringify(value, null, 2) ?? 'null'} />

/** What a program or file is called. */
export const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-[0.92em] break-all">{safeText(children)}</code>
)

/** Somebody's words in one piece, as they are. */
export const Said = ({ text }: { text: string }) => <p className="break-words whitespace-pre-wrap">{safeText(text)}</p>

/** What one has to know before answering. */
export const Warning = ({ children }: { children: ReactNode }) => (
  <div role="note" className="rounded-lg border border-stop/40 bg-stop-soft px-3 py-2.5 font-medium text-stop">
    {children}
  </div>
)

export const Fold = ({ title, children }: { title: string; children: ReactNode }) => (
  <details className="group">
    <summary className="min-h-8 text-sm text-soft hover:text-text">{title}</summary>
    <div className="mt-1.5">{children}</div>
  </details>
)
