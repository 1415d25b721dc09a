import type { AskId } from '../../domain/ask/id.ts'
import { addLog } from '../../domain/ask/store-administration.ts'
import type { Database } from '../../db/open.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { visibleText } from '../../lib/shell-words.ts'

const longestLine = 2000
const everyMs = 250

/** Lines about an ask while it is carried out: stored a few times a second, so that people can watch. */
export type AskLog = AsyncDisposable & { line(text: string): void }

export function openAskLog({ database, clock }: { database: Database; clock: Clock }, id: AskId): AskLog {
  let waiting: string[] = []
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  function flush(): void {
    timer = null
    const lines = waiting
    waiting = []
    if (lines.length === 0) return
    writing = writing.then(() =>
      database.write
        .transaction()
        .execute((tx) => addLog(tx, id, lines, iso(clock.now())))
        // The log is for people to watch; losing a line of it must not fail the work.
        .catch(() => {}),
    )
  }

  return {
    line(text) {
      for (const one of text.split('\n')) waiting.push(visibleText(one.replaceAll('\0', '').slice(0, longestLine)))
      timer ??= setTimeout(flush, everyMs)
    },
    async [Symbol.asyncDispose]() {
      if (timer) clearTimeout(timer)
      flush()
      await writing
    },
  }
}
