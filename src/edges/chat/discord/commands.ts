import * as z from 'zod'
import type { Logger } from '../../../lib/log.ts'
import { commandName, commandOption } from './receive.ts'
import type { Request, Rest } from './rest.ts'

/** In servers, and in direct messages with the bot. */
const command = {
  name: commandName,
  type: 1,
  description: 'Start, watch and answer agents',
  contexts: [0, 1],
  integration_types: [0],
  options: [{ type: 3, name: commandOption, description: 'For example: help', required: false }],
}

const Commands = z.array(
  z.looseObject({
    name: z.string(),
    description: z.string().optional(),
    options: z
      .array(z.looseObject({ name: z.string() }))
      .nullish()
      .catch(null),
  }),
)

/** Discord limits how often commands are made, so it is asked first. Without the command, mentions still work. */
export async function registerCommand(rest: Rest, appId: string, log: Logger, stop: AbortSignal): Promise<void> {
  const what = 'registering the command'
  const path = `applications/${appId}/commands`
  const known = await rest.call({ what, method: 'GET', path }, Commands, stop)
  const isKnown = (list: z.infer<typeof Commands>): boolean =>
    list.length === 1 &&
    list.every(
      ({ name, description, options }) =>
        name === command.name &&
        description === command.description &&
        options?.length === 1 &&
        options[0]?.name === commandOption,
    )
  if (known.kind === 'answered' && isKnown(known.value)) return
  const request: Request = { what, method: 'PUT', path, body: [command] }
  const made = known.kind === 'answered' ? await rest.call(request, z.unknown(), stop) : known
  if (made.kind !== 'answered' && !stop.aborted)
    log.warn({ error: made.error }, `the command /${commandName} was not registered`)
}
