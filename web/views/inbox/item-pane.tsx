import type { ReactNode } from 'react'
import { AlertPane } from './alert-pane.tsx'
import { AskPane } from './ask-pane.tsx'
import { partsOf } from './item-address.ts'
import type { Row } from './rows.ts'

type Pane = { selected: string; rows: readonly Row[]; resting: boolean; sent: () => void; after: ReactNode }

/** The item at an address, open or not. */
export function ItemPane({ selected, rows, resting, sent, after }: Pane) {
  const { kind, id } = partsOf(selected)
  const item = rows.find((row) => row.item.key === selected)?.item ?? null
  return kind === 'alert' ? (
    <AlertPane id={id} item={item?.kind === 'alert' ? item : null} resting={resting} after={after} />
  ) : (
    <AskPane id={id} item={item?.kind === 'ask' ? item : null} resting={resting} sent={sent} after={after} />
  )
}
