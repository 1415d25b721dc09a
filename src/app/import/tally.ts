import type { SeedTable } from './rows.ts'

export type Remark = { readonly table: string; readonly id: string; readonly reason: string }

export type ImportReport = {
  /** `unchanged`: was there already, from an earlier import or by other means. */
  readonly tables: readonly {
    readonly table: string
    readonly read: number
    readonly imported: number
    readonly unchanged: number
    readonly leftOut: number
  }[]
  readonly leftOut: readonly Remark[]
  /** Imported, but not exactly as it was. */
  readonly changed: readonly Remark[]
}

/** Counts what became of each row. */
export type Tally = {
  imported(table: SeedTable, isNew: boolean): void
  leftOut(table: SeedTable, id: string, reason: string): void
  changed(table: SeedTable, id: string, reason: string): void
  report(): ImportReport
}

export function createTally(tables: readonly SeedTable[]): Tally {
  const counts = new Map(tables.map((table) => [table, { imported: 0, unchanged: 0, leftOut: 0 }]))
  const leftOut: Remark[] = []
  const changed: Remark[] = []
  const of = (table: SeedTable) => counts.get(table) ?? { imported: 0, unchanged: 0, leftOut: 0 }
  return {
    imported(table, isNew) {
      of(table)[isNew ? 'imported' : 'unchanged'] += 1
    },
    leftOut(table, id, reason) {
      of(table).leftOut += 1
      leftOut.push({ table, id, reason })
    },
    changed(table, id, reason) {
      changed.push({ table, id, reason })
    },
    report: () => ({
      tables: [...counts].map(([table, { imported, unchanged, leftOut: out }]) => ({
        table,
        read: imported + unchanged + out,
        imported,
        unchanged,
        leftOut: out,
      })),
      leftOut,
      changed,
    }),
  }
}
