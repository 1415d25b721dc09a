import { isLoopback, type LoadedConfig } from '../config/index.ts'
import type { HttpServer } from '../edges/http/server.ts'
import type { Fault } from '../lib/result.ts'

/** `command` is how the command line is called here, for texts that name it. */
export type ServeIo = { print(text: string): void; version: string; command?: string }

const commandOf = (io: ServeIo): string => io.command ?? 'signalbox'

export function printGreeting(io: ServeIo, http: HttpServer, link: string | Fault, loaded: LoadedConfig): void {
  const { config, dataDir, file } = loaded
  if (http.takenPort !== null)
    io.print(`Port ${http.takenPort} is in use by another program; using another one. Choose your own with --port.`)
  io.print(`
Signalbox is running at ${http.address}

  Sign in     ${typeof link === 'string' ? link : `no link now: ${link.message}`}
              ${typeof link === 'string' ? `(works once, for ten minutes; another: ${commandOf(io)} login)` : (link.hint ?? '')}
  Data        ${dataDir}
  Config      ${file ?? 'defaults; see config.example.toml'}
  API         ${http.address}/api/docs
`)
  if (!isLoopback(config.http.host))
    io.print('It can be reached from other machines. Only people with a login or a token have access.')
  io.print('Stop it with Ctrl-C.')
}

export const couldNotStart = ({ message, hint }: Fault): string =>
  `Signalbox could not start.\n\n  ${message}\n${hint ? `  ${hint}\n` : ''}`

export const agentsEnded = (count: number): string => `Ended ${count} agent${count === 1 ? '' : 's'}.`

export const agentsKept = (count: number, io: ServeIo): string =>
  `${count} agent${count === 1 ? ' keeps' : 's keep'} running in the background; the next start reconnects. To end ${count === 1 ? 'it' : 'them'}: ${commandOf(io)} stop`
