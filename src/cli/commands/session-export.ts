import { pathOf } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import type { Handler } from '../command.ts'
import { findSession } from '../find-by-id.ts'
import { createCleaner } from '../clean-text.ts'
import { saveChunks } from '../save-chunks.ts'
import type { sessionExportFlags } from '../table/session-agent.ts'

export const exportSession: Handler<typeof sessionExportFlags> = async ({ args: [text = ''], flags }, context) => {
  const connection = await context.api()
  const id = await findSession(connection.client, text)
  const format = flags.format ?? (context.json ? 'json' : 'markdown')
  const path = pathOf(api.exportSession, { params: { id }, query: { format } })
  const { chunks } = await connection.stream(path, { accept: '*/*' }, new AbortController().signal)
  if (flags.output === undefined) {
    const decoder = new TextDecoder()
    const cleaner = createCleaner()
    // A file gets every byte; on a terminal, escape sequences are removed.
    const shown = (part: string) => (Number.isFinite(context.out.width) ? cleaner.push(part) : part)
    for await (const chunk of chunks) await context.out.write(shown(decoder.decode(chunk, { stream: true })))
    return
  }
  const { bytes } = await saveChunks(flags.output, chunks)
  if (context.json) context.out.json({ file: flags.output, bytes })
  else context.out.print(`Session written to ${flags.output}.`)
}
