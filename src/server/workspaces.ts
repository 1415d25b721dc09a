import { statSync } from 'node:fs'
import { join } from 'node:path'
import { formatFaults, type LoadedConfig } from '../config/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import { realPlace } from '../lib/look-at-file.ts'

type Config = LoadedConfig['config']

/** The `[[workspace]]` mappings in force. They follow the file without a restart (X10). */
export type Workspaces = Disposable & {
  mappings(): Config['workspace']
  /** Directories that the configuration names, with links resolved. */
  vouched(): readonly string[]
  /** Why the file was not taken after its last change; null if it was. */
  fault(): string | null
}

const lookMs = 1000

export async function watchWorkspaces(deps: { loaded: LoadedConfig; clock: Clock; log: Logger }): Promise<Workspaces> {
  const { loaded, clock, log } = deps
  const file = loaded.file ?? join(loaded.dataDir, 'config.toml')
  let mappings = loaded.config.workspace
  let vouched = await namedPlaces(loaded.config)
  let fault: string | null = null
  // Read again at the first look: it may have changed since it was loaded.
  let known = ''
  let seen = markOf(file)
  let stopped = false

  async function reload(): Promise<void> {
    const result = loaded.reload()
    if (!result.ok) {
      fault = formatFaults(result.faults)
      log.warn({ file, faults: fault }, 'the changed configuration has errors; the previous workspaces stay in effect')
      return
    }
    const { config } = result.value
    const places = await namedPlaces({ ...config, workspaceRoot: loaded.config.workspaceRoot })
    fault = null
    vouched = places
    if (JSON.stringify(config.workspace) === JSON.stringify(mappings)) return
    mappings = config.workspace
    log.info({ file, workspaces: mappings.map(({ id }) => id) }, 'the workspaces of the configuration were reloaded')
  }

  async function look(): Promise<void> {
    const mark = markOf(file)
    // A file that is still being written is read at the next look.
    const settled = mark === seen
    seen = mark
    if (!settled || mark === known) return
    known = mark
    await reload()
  }

  let timer: Disposable
  const arm = () =>
    clock.at(clock.now() + lookMs, () => {
      look()
        .catch((error: unknown) =>
          log.warn({ file, error: String(error) }, 'the configuration could not be read again'),
        )
        .finally(() => {
          if (!stopped) timer = arm()
        })
    })
  timer = arm()

  return {
    mappings: () => mappings,
    vouched: () => vouched,
    fault: () => fault,
    [Symbol.dispose]() {
      stopped = true
      timer[Symbol.dispose]()
    },
  }
}

const namedPlaces = ({ workspaceRoot, workspace }: Pick<Config, 'workspaceRoot' | 'workspace'>): Promise<string[]> =>
  Promise.all([workspaceRoot, ...workspace.map(({ path }) => path)].flatMap((path) => path ?? []).map(realPlace))

/** Another file, or other content. */
function markOf(file: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(file, { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  } catch {
    return 'none'
  }
}
