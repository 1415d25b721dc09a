import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lazy } from '../lazy.ts'
import { isList, isRecord } from '../parse-json.ts'
import { fail, ok, type Failed, type Result } from '../result.ts'
import { EngineError, type Engine } from './engine.ts'
import { findEngine } from './find-engine.ts'
import { missingLimits } from './host-config.ts'
import { describeBase, hasImage, loadBase, volumesOf } from './image/base-image.ts'
import { buildPackages } from './image/build-image.ts'
import { isRunning, ownMark } from './process-mark.ts'
import { seccompProfile } from './seccomp-profile.ts'
import type { ContainerLimits, ContainerSettings } from './settings.ts'
import { labels } from './spec.ts'

/** The containers of this data directory: the engine, images, and what was left behind. */
export type Containers = {
  /** Marks everything that this data directory makes. */
  readonly install: string
  /** A fault says where it was looked for. */
  engine(): Promise<Result<Engine>>
  /** The image for these settings, made or built if it is not there yet. */
  ensureImage(
    settings: Pick<ContainerSettings, 'image' | 'packages'>,
    onLog: (line: string) => void,
  ): Promise<Result<string>>
  /** Directories that the image wants to be writable. */
  volumes(engine: Engine, image: string): Promise<string[]>
  /** Limits that this engine ignores. */
  ignoredLimits(engine: Engine, image: string, limits: ContainerLimits): Promise<string[]>
  /** As `hostConfig` wants it. */
  seccomp(engine: Engine): Promise<string>
  /** Rootless engines map users. */
  isRootless(engine: Engine): Promise<boolean>
  /** Ends containers whose runner is gone, of one session or of all. Gives the sessions they belonged to. */
  endOrphans(session?: string): Promise<string[]>
}

export function createContainers(deps: {
  readonly dataDir: string
  readonly engineSocket: string | null
  readonly env: NodeJS.ProcessEnv
  /** Where a service of our own listens. */
  readonly ownSocket: string
}): Containers {
  const { dataDir, env } = deps
  const install = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const folder = join(dataDir, 'containers')
  const base = lazy(() => describeBase(process.execPath, env['PATH'] ?? ''))
  let current: Promise<Result<Engine>> | null = null
  const making = new Map<string, Promise<Result<string>>>()
  const known = new Map<string, Promise<string[]>>()
  const rootless = new Map<string, Promise<boolean>>()

  async function engine(): Promise<Result<Engine>> {
    const before = current && (await current)
    if (before?.ok && (await answers(before.value))) return before
    if (before?.ok) before.value.close()
    current = findEngine({ configured: deps.engineSocket, env, ownSocket: deps.ownSocket })
    const found = await current
    if (!found.ok) current = null
    return found
  }

  /** One making at a time for each image, however many sessions wait for it. */
  function once(tag: string, make: () => Promise<Result<string>>): Promise<Result<string>> {
    const begun = making.get(tag) ?? make().finally(() => making.delete(tag))
    making.set(tag, begun)
    return begun
  }

  async function baseImage(on: Engine, onLog: (line: string) => void): Promise<Result<string>> {
    const described = await base.get()
    if (await hasImage(on, described.tag)) return ok(described.tag)
    return once(described.tag, async () => {
      onLog(`Making the base image ${described.tag} from programs of this machine`)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await loadBase(on, described, folder)
      return ok(described.tag)
    })
  }

  async function namedImage(on: Engine, name: string, onLog: (line: string) => void): Promise<Result<string>> {
    if (await hasImage(on, name)) return ok(name)
    return once(name, async () => {
      onLog(`Pulling ${name}`)
      const [image, tag = 'latest'] = name.includes('@') ? [name, ''] : splitTag(name)
      const query = new URLSearchParams({ fromImage: image, ...(tag && { tag }) })
      for await (const said of on.lines('POST', `/images/create?${query.toString()}`)) {
        if (typeof said['error'] === 'string') return noImage(name, said['error'])
        if (typeof said['status'] === 'string') onLog(said['status'])
      }
      return (await hasImage(on, name)) ? ok(name) : noImage(name, 'the engine did not say why')
    })
  }

  return {
    install,
    engine,
    async ensureImage({ image, packages }, onLog) {
      const on = await engine()
      if (!on.ok) return on
      try {
        const found = await (image === null ? baseImage(on.value, onLog) : namedImage(on.value, image, onLog))
        if (!found.ok || packages.apt.length + packages.npm.length === 0) return found
        if (image === null && packages.apt.length > 0) return noApt
        const made = { [labels.install]: install }
        return await buildPackages(on.value, found.value, packages, { labels: made, onLog })
      } catch (error) {
        if (error instanceof EngineError) return noImage(image ?? 'of Signalbox', error.message)
        throw error
      }
    },
    volumes: volumesOf,
    ignoredLimits(on, image, limits) {
      const name = JSON.stringify([on.socket, limits])
      const looked = known.get(name) ?? tryLimits(on, image, limits, install)
      known.set(name, looked)
      looked.catch(() => known.delete(name))
      return looked
    },
    async seccomp(on) {
      const profile = seccompProfile()
      if (on.kind === 'docker') return profile
      // Podman wants a file.
      const path = join(folder, 'seccomp.json')
      await mkdir(folder, { recursive: true, mode: 0o700 })
      if ((await readFile(path, 'utf8').catch(() => '')) !== profile) await writeFile(path, profile, { mode: 0o600 })
      return path
    },
    isRootless(on) {
      const looked = rootless.get(on.socket) ?? lookRootless(on)
      rootless.set(on.socket, looked)
      return looked
    },
    async endOrphans(session) {
      // Without an engine there is nothing to end, and none is started for this.
      const on = await findEngine({
        configured: deps.engineSocket,
        env: { ...env, PATH: '' },
        ownSocket: deps.ownSocket,
      })
      if (!on.ok) return []
      try {
        return await endOrphans(on.value, install, session)
      } finally {
        on.value.close()
      }
    },
  }
}

const answers = (engine: Engine): Promise<boolean> =>
  engine.call('GET', '/_ping').then(
    () => true,
    () => false,
  )

function splitTag(name: string): [string, string?] {
  const at = name.lastIndexOf(':')
  return at > name.lastIndexOf('/') ? [name.slice(0, at), name.slice(at + 1)] : [name]
}

/** A container that is made and never started shows what the engine took. */
async function tryLimits(engine: Engine, image: string, limits: ContainerLimits, install: string): Promise<string[]> {
  const memory = Math.round(limits.memoryMb * 2 ** 20)
  const made = await engine.call('POST', '/containers/create', {
    json: {
      Image: image,
      Cmd: ['true'],
      Labels: { [labels.install]: install, [labels.session]: 'probe', [labels.runner]: ownMark() },
      HostConfig: {
        NetworkMode: 'none',
        Memory: memory,
        MemorySwap: memory,
        NanoCpus: Math.round(limits.cpus * 1e9),
        PidsLimit: limits.pids,
      },
    },
  })
  const id = isRecord(made) ? String(made['Id']) : ''
  try {
    return missingLimits(await engine.call('GET', `/containers/${id}/json`), { limits })
  } finally {
    await engine.call('DELETE', `/containers/${id}?force=1&v=1`).catch(() => {})
  }
}

async function lookRootless(engine: Engine): Promise<boolean> {
  const info = await engine.call('GET', '/info')
  const options = isRecord(info) && isList(info['SecurityOptions']) ? info['SecurityOptions'] : []
  return options.some((one) => String(one).includes('rootless'))
}

async function endOrphans(engine: Engine, install: string, session?: string): Promise<string[]> {
  const label = [`${labels.install}=${install}`, ...(session === undefined ? [] : [`${labels.session}=${session}`])]
  const filters = encodeURIComponent(JSON.stringify({ label }))
  const found = await engine.call('GET', `/containers/json?all=1&filters=${filters}`)
  const ended: string[] = []
  for (const one of isList(found) ? found : []) {
    const marks = isRecord(one) && isRecord(one['Labels']) ? one['Labels'] : {}
    const runner = marks[labels.runner]
    if (!isRecord(one) || (typeof runner === 'string' && (await isRunning(runner)))) continue
    await engine.call('DELETE', `/containers/${String(one['Id'])}?force=1&v=1`).catch(() => {})
    ended.push(String(marks[labels.session]))
  }
  return ended
}

const noImage = (name: string, why: string): Failed =>
  fail({
    kind: 'unavailable',
    code: 'image_unavailable',
    message: `The image ${name} is not available: ${why}`,
    hint: 'Correct its name (containers.image), load it into the engine yourself, or use the base image of Signalbox.',
  })

const noApt = fail({
  kind: 'invalid',
  code: 'apt_needs_image',
  message: 'Packages of apt need an image of Debian or Ubuntu; the base image of Signalbox has no apt.',
  hint: 'Name one, such as node:24-bookworm, as the image of the group or as containers.image.',
})
