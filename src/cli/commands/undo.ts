import type { Client } from '../../client/client.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { programName } from '../program-name.ts'
import { cleanLine, exactLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { exit, Failure } from '../failure.ts'
import { textField } from '../json-fields.ts'
import { findAsk } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import { printResult } from '../print-result.ts'
import type { undoFlags } from '../table/work.ts'
import { editsIn } from '../tool-text.ts'

export const undo: Handler<typeof undoFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findAsk(client, text)
  const done = await client.undoAsk({ params: { id }, body: { force: flags.force } }).catch(async (error: unknown) => {
    throw (await cantBeTakenBack(id, client, error)) ?? error
  })
  printResult(context, done, ({ ask, restored }) =>
    [
      `Undone: ${cleanLine(ask.title)}`,
      ...restored.map(({ path, outcome }) => `  ${outcome === 'removed' ? 'removed ' : 'restored'} ${cleanLine(path)}`),
    ].join('\n'),
  )
}

/** Only file changes can be undone; say so for anything else. */
async function cantBeTakenBack(id: Ask['id'], client: Client, cause: unknown): Promise<Failure | null> {
  if (!(cause instanceof Error && 'status' in cause && cause.status === 409)) return null
  const ask = await client.getAsk({ params: { id } }).catch(() => null)
  if (!ask || ask.answer === null || ask.undoneAt !== null || changesFiles(ask)) return null
  const what = ask.kind === 'command' || isExecuted(ask) ? 'A command' : 'This'
  const files =
    ask.sessionId === null ? '' : `\nTo restore files: ${programName()} checkpoints ${shortId(ask.sessionId)}`
  return new Failure({
    exit: exit.conflict,
    code: 'not_undoable',
    message: `${what} can't be undone: "${exactLine(ask.title)}"`,
    hint: `Only file changes can be undone, not what a command did.${files}`,
    cause,
  })
}

const changesFiles = ({ subject }: Ask): boolean =>
  subject.kind === 'diff' || (subject.kind === 'permission' && editsIn(subject.toolCall).length > 0)

const isExecuted = ({ subject }: Ask): boolean =>
  subject.kind === 'permission' && textField(subject.toolCall, 'kind') === 'execute'
