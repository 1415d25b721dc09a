import Sqlite from 'better-sqlite3'

/** One statement as it really ran, to be replayed alone. */
export type Recorded = { sql: string; parameters: unknown[]; reads: boolean }

export type Recording = Disposable & {
  /** What ran on this connection since the last call. */
  take(connection: Sqlite.Database | null): Recorded[]
}

/** Records every statement of connections opened from now on, until disposed; nothing else may be measured meanwhile. */
export function startRecording(): Recording {
  const prototype: Pick<Sqlite.Database, 'prepare' | 'exec'> = Sqlite.prototype
  const { prepare, exec } = prototype
  let noted: (Recorded & { connection: unknown })[] = []
  prototype.prepare = function noting(this: Sqlite.Database, sql: string) {
    const statement: Sqlite.Statement<unknown[]> = prepare.call(this, sql)
    const note = (parameters: unknown[]) => noted.push({ connection: this, sql, parameters, reads: statement.reader })
    const wrapped = {
      reader: statement.reader,
      all: (...parameters: unknown[]) => (note(parameters), statement.all(...parameters)),
      run: (...parameters: unknown[]) => (note(parameters), statement.run(...parameters)),
    }
    return wrapped as never
  }
  prototype.exec = function noting(this: Sqlite.Database, sql: string) {
    noted.push({ connection: this, sql, parameters: [], reads: false })
    return exec.call(this, sql)
  }
  return {
    take(wanted) {
      const taken = noted.filter(({ connection }) => connection === wanted)
      noted = []
      return taken.map(({ sql, parameters, reads }) => ({ sql, parameters, reads }))
    },
    [Symbol.dispose]() {
      Object.assign(prototype, { prepare, exec })
    },
  }
}
