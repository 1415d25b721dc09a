import type { ReactNode } from 'react'
import { LongText } from '../../ui/markdown.tsx'
import { exactText, safeText } from '../../ui/safe-text.ts'

/** A part of the subject with a small title. */
export const SubjectPart = ({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) => (
  <section className="flex min-w-0 flex-col gap-1.5">
    <div className="flex flex-wrap items-baseline gap-x-3 text-sm">
      <h3 className="font-semibold">{title}</h3>
      {aside && <div className="min-w-0 break-all text-soft">{aside}</div>}
    </div>
    {children}
  </section>
)

/** Exact text: wrapped, never cut, with hidden characters shown. */
export const Exact = ({ text }: { text: string }) => (
  <div className="rounded-lg border border-line bg-sunken px-3 py-2.5">
    <LongText text={exactText(text)} />
  </div>
)

export const ExactJson = ({ value }: { value: unknown }) => <Exact text={JSON.stringify(value, null, 2) ?? 'null'} />

/** The name of a program or file. */
export const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-[0.92em] break-all">{safeText(children)}</code>
)

/** A text as is. */
export const PlainText = ({ text }: { text: string }) => (
  <p className="break-words whitespace-pre-wrap">{safeText(text)}</p>
)

/** A warning to read before answering. */
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
