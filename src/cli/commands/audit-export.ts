import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { once } from 'node:events'
import { pathOf } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import { auditQuery } from '../audit-query.ts'
import type { Handler } from '../command.ts'
import { exit } from '../exit.ts'
import { Failure } from '../failure.ts'
import type { auditExportFlags } from '../table/records.ts'

/** Passed on as it comes: a log of any length needs no memory here. */
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
  const { events, bytes } = await writeTo(output, chunks)
  if (context.json) context.out.json({ file: output, events, bytes })
  else context.out.print(`${events} events written to ${output}.`)
}

async function writeTo(path: string, chunks: AsyncIterable<Buffer>): Promise<{ events: number; bytes: number }> {
  // The log tells who did what: for its owner's eyes, and never over an earlier export.
  const file = createWriteStream(path, { mode: 0o600, flags: 'wx' })
  try {
    await once(file, 'open')
    let events = 0
    let bytes = 0
    for await (const chunk of chunks) {
      bytes += chunk.length
      for (const byte of chunk) if (byte === 10) events++
      if (!file.write(chunk)) await once(file, 'drain')
    }
    file.end()
    await finished(file)
    return { events, bytes }
  } catch (error) {
    file.destroy()
    const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!exists) throw error
    throw new Failure({
      exit: exit.conflict,
      code: 'file_exists',
      message: `There is a file ${path} already.`,
      hint: 'Name another, or remove it first.',
      cause: error,
    })
  }
}
