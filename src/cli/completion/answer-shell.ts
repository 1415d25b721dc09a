import type { Context } from '../context.ts'
import { rootCommand } from '../table.ts'
import { complete } from './complete.ts'
import { rowsOf } from './rows.ts'

/** A person is waiting at the Tab key. */
const patienceMs = 1500

/** Prints what may follow. Without a server, or if it is slow, ids are left out. */
export async function answerShell(words: readonly string[], context: Context): Promise<void> {
  const { words: known, from, files } = complete(joined(words), rootCommand)
  const rows = from === null ? [] : await Promise.race([rowsFrom(from, context), tooLate()])
  for (const { word, about } of [...known, ...rows]) context.out.print(about === '' ? word : `${word}\t${about}`)
  if (files) context.out.print(':files')
}

async function rowsFrom(source: Parameters<typeof rowsOf>[0], context: Context): ReturnType<typeof rowsOf> {
  try {
    const { client } = await context.api()
    return await rowsOf(source, client)
  } catch {
    return []
  }
}

const tooLate = (): Promise<[]> =>
  new Promise((resolve) => {
    setTimeout(resolve, patienceMs, []).unref()
  })

/** bash splits `--flag=value` in three words. */
function joined(words: readonly string[]): string[] {
  const all: string[] = []
  for (const word of words) {
    const previous = all.at(-1)
    const continues = previous !== undefined && /^--[\w-]+=$/.test(previous)
    if (previous !== undefined && (continues || (word === '=' && /^--[\w-]+$/.test(previous))))
      all[all.length - 1] = previous + word
    else all.push(word)
  }
  return all
}
