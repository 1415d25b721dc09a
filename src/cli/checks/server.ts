import { stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Check } from '../../client/contract/system.ts'
import type { LoadedConfig } from '../../config/index.ts'
import { lookAtConfinement } from '../../lib/confinement.ts'
import { socketPath } from '../../lib/socket-path.ts'
import type { Context } from '../context.ts'
import { exit } from '../exit.ts'
import { Failure } from '../failure.ts'
import { bad, good, reason, warn } from './check.ts'

/** Checks of the server, from outside and by the server itself. */
export async function serverChecks(context: Context, loaded: LoadedConfig | null): Promise<Check[]> {
  if (loaded === null && context.url === undefined) return []
  try {
    const { client } = await context.api()
    const status = await client.getStatus({})
    const { version } = context.parts
    const running =
      status.version === version
        ? good('server', `${status.version} at ${status.address}`)
        : warn(
            'server',
            `${status.version} at ${status.address}; this is ${version}`,
            'Restart the server to run the same version.',
          )
    const own = await client
      .getDoctor({})
      .catch((error: unknown) => [warn('checks', reason(error), 'Only admins see them.')])
    const socket = context.url === undefined && loaded ? await checkSocket(loaded) : []
    return [running, ...socket, ...own.map(ofServer)]
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== exit.noServer)
      return [bad('server', reason(error), 'See its log, and restart it.')]
    const hint = error.hint ?? 'Start it with: signalbox serve'
    const absent = warn('server', 'not running', hint)
    if (context.url !== undefined || !loaded) return [{ ...absent, status: 'fail' }]
    const { isolation } = loaded.config.acp
    const confinement = await lookAtConfinement({ path: context.env['PATH'] ?? '', isolation })
    return [absent, await checkPort(loaded), ...confinement]
  }
}

const ofServer = ({ name, status, detail, hint }: Check): Check => ({ name: `server: ${name}`, status, detail, hint })

async function checkSocket({ dataDir, config }: LoadedConfig): Promise<Check[]> {
  if (process.platform === 'win32') return []
  const path = socketPath(dataDir, config.ipcName)
  const { mode, uid } = await stat(path)
  if ((mode & 0o077) !== 0)
    return [
      bad(
        'socket',
        `${path} is open to other users (mode ${(mode & 0o777).toString(8)})`,
        `Fix it with: chmod 600 ${path}`,
      ),
    ]
  if (uid !== process.getuid?.())
    return [warn('socket', `${path} belongs to another user`, "Run this as the server's user.")]
  return [good('socket', `${path} is private`)]
}

function checkPort({ config }: LoadedConfig): Promise<Check> {
  const { httpPort: port } = config
  const { host } = config.http
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(
        error.code === 'EADDRINUSE'
          ? warn(
              'port',
              `${host}:${port} is used by another program`,
              'The next start uses another port, or choose one with --port.',
            )
          : bad(
              'port',
              `${host}:${port}: ${error.message}`,
              'Choose another with http_port and http.host, or --port and --host.',
            ),
      )
    })
    probe.listen(port, host, () => probe.close(() => resolve(good('port', `${host}:${port} is free`))))
  })
}
