import { pathOf } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import { auditQuery } from '../audit-query.ts'
import type { Handler } from '../command.ts'
import { saveChunks } from '../save-chunks.ts'
import type { auditExportFlags } from '../table/records.ts'

/** Streamed, so that a log of any length needs little memory. */
export const exportAudit: Handler<typeof auditExportFlags> = async ({ flags }, context) => {
  const { output, ...filter } = flags
  const connection = await context.api()
  const query = await auditQuery(connection.client, filter, context.now())
  const path = pathOf(api.exportAudit, { query })
  const { chunks } = await connection.stream(path, { accept: 'application/x-ndjson' }, new AbortController().signal)
  if (output === undefined) {
    const decoder = new TextDecoder()
    for await (const chunk of chunks) await context.out.write(decoder.decode(chunk, { stream: true }))
    return
  }
  const { lines: events, bytes } = await saveChunks(output, chunks)
  if (context.json) context.out.json({ file: output, events, bytes })
  else context.out.print(`${events} events written to ${output}.`)
}
