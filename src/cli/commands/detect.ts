import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { readErrorText } from '../file-error.ts'
import type { detectFlags } from '../table/terminals.ts'

export const detectCorpus: Handler<typeof detectFlags> = async ({ flags }, { out }) => {
  const directory = flags.corpus
  if (directory === undefined)
    throw new Failure({
      exit: exit.usage,
      code: 'corpus_missing',
      message: 'Missing --corpus DIR.',
      hint: 'Name it: signalbox detect --corpus DIR',
    })
  const { corpusFiles, predict, readCase } = await import('../../edges/terminal/corpus.ts')
  const files = await corpusFiles(directory).catch((error: unknown) => {
    throw unreadable(directory, readErrorText(error))
  })
  if (files.length === 0) throw unreadable(directory, 'no .json files, neither there nor in its folder cases')
  let bad = 0
  for (const file of files) {
    try {
      const { prediction } = await predict(await readCase(file))
      await out.write(`${JSON.stringify(prediction)}\n`)
    } catch (error) {
      bad += 1
      out.note(`${file} skipped: ${whyNoCase(error)}`)
    }
  }
  if (bad === 0) return exit.ok
  out.note(`${bad} of ${files.length} files could not be read as recorded cases; see above.`)
  return exit.failed
}

const unreadable = (directory: string, reason: string): Failure =>
  new Failure({
    exit: exit.notFound,
    code: 'corpus_unreadable',
    message: `No recorded cases can be read in ${directory}: ${reason}.`,
    hint: 'Give a directory that contains them, directly or in a folder called cases.',
  })

/** The check prints one field per line; name the fields, so that people can fix them. */
function whyNoCase(error: unknown): string {
  const why = readErrorText(error)
  const fields = [...why.matchAll(/→ at ([\w.[\]]+)/g)].map(([, field = '']) => field)
  if (fields.length > 0)
    return `not a recorded case: ${some(fields)} ${fields.length === 1 ? 'is' : 'are'} missing or wrong`
  return why.includes('✖') ? 'not a recorded case: must be an object' : why
}

const most = 6
const some = (fields: readonly string[]): string =>
  fields.length > most ? `${fields.slice(0, most).join(', ')} and ${fields.length - most} more` : fields.join(', ')
