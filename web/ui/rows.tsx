import type { ReactNode } from 'react'
import { Card } from './card.tsx'

/** A card of rows: title, details, actions. */
export const Rows = ({ label, children }: { label: string; children: ReactNode }) => (
  <Card>
    <ul aria-label={label} className="divide-y divide-line">
      {children}
    </ul>
  </Card>
)

export const Row = ({ title, about, children }: { title: ReactNode; about?: ReactNode; children?: ReactNode }) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
    <div className="min-w-0 flex-1 basis-56">
      <div className="font-medium break-words">{title}</div>
      {about && <div className="text-sm break-words text-soft">{about}</div>}
    </div>
    {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
  </li>
)

export const Heading = ({ children, about }: { children: ReactNode; about?: ReactNode }) => (
  <div>
    <h2 className="font-semibold">{children}</h2>
    {about && <p className="text-sm text-soft">{about}</p>}
  </div>
)
