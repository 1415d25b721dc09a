import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import { renderFields } from '../columns.ts'
import { printResult } from '../print-result.ts'
import { relativeTime } from '../times.ts'

export const status: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const found = await client.getStatus({})
  const { out, parts, now } = context
  printResult(context, found, (one) =>
    renderFields(
      [
        ['Signalbox', { text: `${one.version} is running`, colour: 'green' }],
        ['Address', one.address],
        ['Started', `${relativeTime(one.startedAt, now())} (process ${one.pid})`],
        ['Data', one.dataDirectory === null ? one.database : `${one.dataDirectory} (${one.database})`],
        ['Socket', one.socket],
        ['Sessions', [`${one.sessions}`, activityText(one.activities)].filter((part) => part !== '').join(': ')],
        [
          'Open asks',
          one.openAsks === 0 ? '0' : { text: `${one.openAsks}: see ${programName()} asks`, colour: 'yellow' },
        ],
        [
          'Dead letters',
          one.deadLetters === 0
            ? '0'
            : { text: `${one.deadLetters}: see ${programName()} events dead-letters`, colour: 'red' },
        ],
      ],
      out,
    ),
  )
  if (found.version !== parts.version && !context.json)
    out.note(`This command line is version ${parts.version}: restart the server to run the same.`)
}

const activityText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ')
