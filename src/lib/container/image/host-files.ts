import { execFile } from 'node:child_process'
import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../../absolute-program.ts'
import type { TarEntry } from './tar.ts'

const run = promisify(execFile)

/** What agents and their commands usually need. What this machine does not have is left out. */
const programs =
  `sh bash dash [ awk base64 basename bunzip2 bzip2 cat chmod chown cksum cmp comm cp curl cut date dd df diff
  dirname du echo egrep env expand expr false fgrep file find flock fold getent git grep groups gunzip gzip head hostname
  id install join jq kill less ln locale ls make md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc od openssl paste
  patch perl pgrep pkill printenv printf ps pwd readlink realpath rg rm rmdir sed seq setsid sha1sum sha256sum sha512sum
  shuf sleep sort split stat stdbuf stty sum sync tac tail tar tee test timeout top touch tr true truncate tsort tty uname
  unexpand uniq unlink unshare unxz unzip uptime wc wget which who whoami xargs xz yes zcat zip`.split(/\s+/)

/** What programs from elsewhere expect of a system, beside what our own load. */
const usualLibraries = `libanl.so.1 libatomic.so.1 libdl.so.2 libgcc_s.so.1 libgomp.so.1 libm.so.6 libnss_dns.so.2
  libnss_files.so.2 libpthread.so.0 libresolv.so.2 librt.so.1 libstdc++.so.6 libutil.so.1 libz.so.1`.split(/\s+/)

/** Whole directories: what programs above load by name. */
const folders = [
  '/usr/lib/git-core',
  '/usr/libexec/git-core',
  '/usr/share/git-core/templates',
  '/lib/terminfo',
  '/usr/lib/locale/C.utf8',
  ...['x86_64', 'aarch64'].map((arch) => `/usr/lib/${arch}-linux-gnu/perl-base`),
]
const files = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt', '/etc/ld.so.cache']
const searchPath = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'

/** Collects files of this machine at their own paths, with everything they need to run. */
export type HostFiles = {
  readonly entries: ReadonlyMap<string, TarEntry>
  /** Identifies the collection without reading it. */
  readonly identity: readonly string[]
}

/** @param node the Node that goes into the image, with its npm if there is one */
export async function hostFiles(node: string, npm: string | null): Promise<HostFiles> {
  const collection = createCollection()
  for (const link of ['/bin', '/sbin', '/lib', '/lib64', '/lib32', '/libx32']) await collection.addLink(link)
  const found: string[] = []
  for (const name of programs) {
    const path = await findProgram(name, searchPath)
    if (path !== null) found.push(path)
  }
  for (const path of [...found, ...files]) await collection.addFile(path)
  for (const path of folders) await collection.addFolder(path, path)
  await collection.addFileAt('/usr/local/bin/node', node)
  if (npm !== null) await collection.addFolder('/usr/local/lib/node_modules/npm', npm)
  const helpers = [...collection.entries.values()].flatMap((entry) => (entry.kind === 'file' ? [entry] : []))
  const loaded = helpers
    .filter(({ mode, from }) => (mode & 0o111) !== 0 && !/\/npm\//.test(from))
    .map(({ from }) => from)
  const libraries = await librariesOf(loaded)
  const core = libraries.find((path) => path.endsWith('/libc.so.6'))
  const usual = core === undefined ? [] : usualLibraries.map((name) => join(dirname(core), name))
  for (const library of [...libraries, ...usual]) await collection.addFile(library)
  return collection
}

/** Every library that the loader names, for programs of this machine. */
async function librariesOf(paths: readonly string[]): Promise<string[]> {
  // Scripts and static programs make it end with an error, after it has named the rest.
  const said = await run('ldd', [...paths], { maxBuffer: 1 << 24 }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error instanceof Error && 'stdout' in error ? String(error.stdout) : ''),
  )
  const names = said.split('\n').flatMap((line) => {
    // `libz.so.1 => /lib/libz.so.1 (0x…)`, or only the path.
    const words = line.trim().split(' ')
    const path = words[1] === '=>' ? words[2] : words[0]
    return path?.startsWith('/') && !path.endsWith(':') ? [path] : []
  })
  return [...new Set(names)]
}

function createCollection() {
  const entries = new Map<string, TarEntry>()
  const identity: string[] = []

  function addFolders(path: string): void {
    const parent = dirname(path)
    if (parent === path || entries.has(path)) return
    addFolders(parent)
    entries.set(path, { name: path.slice(1), kind: 'directory', mode: 0o755 })
  }

  async function addLink(path: string): Promise<void> {
    const to = await readlink(path).catch(() => null)
    if (to !== null) entries.set(path, { name: path.slice(1), kind: 'link', to, mode: 0o777 })
  }

  async function addFileAt(path: string, from: string): Promise<void> {
    if (entries.has(path)) return
    const found = await stat(from).catch(() => null)
    if (found?.isFile() !== true) return
    addFolders(dirname(path))
    // No setuid in the image: nothing inside needs another user's rights.
    const mode = found.mode & 0o755
    entries.set(path, { name: path.slice(1), kind: 'file', from, size: found.size, mode })
    identity.push(`${path} ${found.size} ${found.mtimeMs}`)
  }

  /** With the links that lead to it. */
  async function addFile(path: string, depth = 0): Promise<void> {
    const directory = await realpath(dirname(path)).catch(() => null)
    if (directory === null || depth > 10) return
    const at = join(directory, basename(path))
    const found = await lstat(at).catch(() => null)
    if (found?.isSymbolicLink() === true) {
      const to = await readlink(at)
      if (!entries.has(at)) {
        addFolders(directory)
        entries.set(at, { name: at.slice(1), kind: 'link', to, mode: 0o777 })
        identity.push(`${at} ${to}`)
      }
      await addFile(resolve(directory, to), depth + 1)
    } else await addFileAt(at, at)
  }

  async function addFolder(at: string, from: string): Promise<void> {
    const real = await realpath(from).catch(() => null)
    if (real === null) return
    // A path may lead through links, such as /lib.
    const place = at === from ? real : at
    for (const entry of await readdir(real, { withFileTypes: true, recursive: true })) {
      const path = join(entry.parentPath, entry.name)
      const inside = join(place, path.slice(real.length))
      if (entry.isFile()) await addFileAt(inside, path)
      if (!entry.isSymbolicLink()) continue
      addFolders(dirname(inside))
      const to = await readlink(path)
      entries.set(inside, { name: inside.slice(1), kind: 'link', to, mode: 0o777 })
      identity.push(`${inside} ${to}`)
    }
  }

  return { entries, identity, addLink, addFile, addFileAt, addFolder }
}
