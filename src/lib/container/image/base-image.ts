import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdtemp, realpath, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { findProgram } from '../../absolute-program.ts'
import { isRecord } from '../../parse-json.ts'
import { EngineError, type Engine } from '../engine.ts'
import { hostFiles } from './host-files.ts'
import { tar, type TarEntry } from './tar.ts'

const recipe = 2
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The agent's usual name inside; the user's number comes from the workspace. */
const texts: Readonly<Record<string, string>> = {
  '/etc/passwd':
    'root:x:0:0:root:/root:/bin/sh\nagent:x:1000:1000:agent:/home/agent:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
  '/etc/group': 'root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n',
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
  '/etc/gitconfig': '[safe]\n\tdirectory = *\n',
}
const folders: Readonly<Record<string, number>> = {
  ...Object.fromEntries(['/proc', '/sys', '/dev', '/etc', '/root', '/signalbox', '/var'].map((path) => [path, 0o755])),
  // A tmpfs takes the mode of the directory in the image.
  ...Object.fromEntries(['/tmp', '/var/tmp', '/run', '/home/agent'].map((path) => [path, 0o1777])),
}

/** Beside Node's own: a company's proxy may have one. */
const certificates = 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'

/** A base image without any registry: Node, a shell, Git and the usual tools of this machine. */
export type BaseImage = { readonly tag: string; readonly entries: readonly TarEntry[] }

export async function describeBase(node: string, path: string): Promise<BaseImage> {
  const npm = await npmOf(node, path)
  const { entries, identity } = await hostFiles(node, npm)
  const all = new Map<string, TarEntry>()
  for (const [at, mode] of Object.entries(folders)) {
    for (let parent = dirname(at); parent !== '/'; parent = dirname(parent))
      if (!all.has(parent)) all.set(parent, { name: parent.slice(1), kind: 'directory', mode: 0o755 })
    all.set(at, { name: at.slice(1), kind: 'directory', mode })
  }
  for (const [at, entry] of entries) if (!all.has(at)) all.set(at, entry)
  for (const [at, text] of Object.entries(texts)) all.set(at, { name: at.slice(1), kind: 'text', text, mode: 0o644 })
  if (npm !== null)
    for (const name of ['npm', 'npx'])
      all.set(`/usr/local/bin/${name}`, {
        name: `usr/local/bin/${name}`,
        kind: 'link',
        to: `../lib/node_modules/npm/bin/${name}-cli.js`,
        mode: 0o777,
      })
  const hash = createHash('sha256')
    .update(JSON.stringify([recipe, certificates, texts, folders, identity]))
    .digest('hex')
  // Parents first: a layer is unpacked in order.
  const ordered = [...all].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
  return { tag: `localhost/signalbox-base:${hash.slice(0, 12)}`, entries: ordered }
}

async function npmOf(node: string, path: string): Promise<string | null> {
  const beside = join(dirname(dirname(await realpath(node))), 'lib/node_modules/npm')
  if ((await stat(join(beside, 'package.json')).catch(() => null)) !== null) return beside
  const program = await findProgram('npm', path)
  const script = program === null ? null : await realpath(program)
  return script?.endsWith('/npm/bin/npm-cli.js') === true ? dirname(dirname(script)) : null
}

export async function hasImage(engine: Engine, tag: string): Promise<boolean> {
  try {
    await engine.call('GET', `/images/${encodeURIComponent(tag)}/json`)
    return true
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return false
    throw error
  }
}

/**
 * The directories that an image declares as volumes. An engine would give each a place on the disk of this machine, writable
 * and counted by nobody.
 */
export async function volumesOf(engine: Engine, tag: string): Promise<string[]> {
  const image = await engine.call('GET', `/images/${encodeURIComponent(tag)}/json`)
  const config = isRecord(image) ? image['Config'] : null
  const volumes = isRecord(config) ? config['Volumes'] : null
  return isRecord(volumes) ? Object.keys(volumes) : []
}

/** Puts an image into the engine: one layer, made here. */
export async function loadBase(engine: Engine, { tag, entries }: BaseImage, scratch: string): Promise<void> {
  const folder = await mkdtemp(join(scratch, 'image-'))
  try {
    const layer = join(folder, 'layer.tar')
    const hash = createHash('sha256')
    let size = 0
    const counted = async function* () {
      for await (const bytes of tar(entries)) {
        hash.update(bytes)
        size += bytes.length
        yield bytes
      }
    }
    await pipeline(Readable.from(counted(), { objectMode: false }), createWriteStream(layer))
    const config = JSON.stringify({
      architecture: { x64: 'amd64', arm64: 'arm64' }[process.arch as 'x64' | 'arm64'] ?? process.arch,
      os: 'linux',
      config: {
        Env: [`PATH=${searchPath}`, 'HOME=/home/agent', 'LANG=C.UTF-8', certificates],
        User: '1000:1000',
        Cmd: ['/bin/sh'],
        Labels: { 'signalbox.base': String(recipe) },
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${hash.digest('hex')}`] },
      history: [{ created_by: 'signalbox' }],
    })
    const manifest = JSON.stringify([{ Config: 'config.json', RepoTags: [tag], Layers: ['layer.tar'] }])
    const archive = tar([
      { name: 'config.json', kind: 'text', text: config, mode: 0o644 },
      { name: 'layer.tar', kind: 'file', from: layer, size, mode: 0o644 },
      { name: 'manifest.json', kind: 'text', text: manifest, mode: 0o644 },
    ])
    for await (const said of engine.lines('POST', '/images/load?quiet=1', { tar: archive }))
      if (typeof said['error'] === 'string') throw new EngineError(500, said['error'])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
