import { socketPath } from '../lib/socket-path.ts'
import type { ServerConnection, Context } from './context.ts'
import { createTransport, openStream, socketTarget, urlTarget, type ByteStream, type Target } from './transport.ts'
import { ApiError, errorIn } from '../client/calls.ts'
import { createClient } from '../client/client.ts'

type ServerAddress = {
  url: string | undefined
  token: string | undefined
  dataDir: string
  ipcName: Context['ipcName']
}

/** Connects to the server of the data directory by its socket, or to a remote one by its address. */
export async function connect(where: ServerAddress): Promise<ServerConnection> {
  const target = await targetOf(where)
  return {
    client: createClient(createTransport(target)),
    async stream(path, headers, signal) {
      const opened = await openStream(target, path, headers, signal)
      if (opened.status < 400) return opened
      throw new ApiError(opened.status, await errorBody(opened))
    },
  }
}

async function targetOf({ url, token, dataDir, ipcName }: ServerAddress): Promise<Target> {
  if (url !== undefined) return urlTarget(url, token)
  return socketTarget(socketPath(dataDir, await ipcName()), dataDir, token)
}

async function errorBody({ status, chunks }: ByteStream): Promise<{ code: string; message: string }> {
  const parts: Buffer[] = []
  for await (const chunk of chunks) parts.push(chunk)
  const message = `The server answered ${status}, but it is not Signalbox.`
  return errorIn(Buffer.concat(parts).toString()) ?? { code: 'unexpected_answer', message }
}
