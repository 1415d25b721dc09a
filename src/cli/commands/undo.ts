import { cleanLine } from '../clean-text.ts'
import type { Handler } from '../command.ts'
import { findAsk } from '../find.ts'
import { show } from '../show.ts'

export const undo: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findAsk(client, text)
  const done = await client.undoAsk({ params: { id }, body: {} })
  show(context, done, ({ ask, restored }) =>
    [
      `Undone: ${cleanLine(ask.title)}`,
      ...restored.map(({ path, outcome }) => `  ${outcome === 'removed' ? 'removed ' : 'restored'} ${cleanLine(path)}`),
    ].join('\n'),
  )
}
