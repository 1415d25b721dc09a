import { readlink, stat } from 'node:fs/promises'
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path'
import { findProgram } from '../../../lib/absolute-program.ts'
import { isHidden, type Mount } from './mounts.ts'
import { isWithin, leadsThrough, realOrNull } from './paths.ts'

type SandboxSoFar = {
  readonly mounts: readonly Mount[]
  /** Opening one of these, or a parent, would expose far more than a program. */
  readonly neverOpen: readonly string[]
  readonly workspace: string
}

/** Read-only mounts needed to run programs in hidden directories. */
export async function programMounts(files: readonly string[], scene: SandboxSoFar): Promise<Mount[]> {
  const found = new Map<string, Mount>()
  const open = async (path: string): Promise<void> => {
    const from = isHidden(scene.mounts, path) ? await realOrNull(path) : null
    if (from !== null) found.set(path, { kind: 'read', at: path, from })
  }
  for (const file of files) {
    const real = await realOrNull(file)
    // Skip paths that an agent could have replaced with a symlink.
    if (real === null || (await leadsThrough(scene.workspace, file))) continue
    await open(tooBroad(dirname(file), scene) ? file : dirname(file))
    await open(await installation(real, scene))
  }
  return [...found.values()]
}

const besideBin = ['lib', 'lib64', 'libexec', 'share', 'include']

/**
 * PATH directories outside homes and the system, such as separately installed compilers, with their lib directories.
 * PATH directories in a home must be opened by the operator.
 */
export async function toolMounts(path: string, scene: SandboxSoFar): Promise<Mount[]> {
  const found = new Map<string, Mount>()
  for (const directory of path.split(delimiter)) {
    const real = isAbsolute(directory) ? await realOrNull(directory) : null
    if (real === null || real !== directory || scene.neverOpen.some((place) => isWithin(place, real))) continue
    if (tooBroad(real, scene) || isWithin(scene.workspace, real) || !isHidden(scene.mounts, real)) continue
    const around = /^s?bin$/.test(basename(real)) ? besideBin.map((name) => join(dirname(real), name)) : []
    for (const at of [real, ...around])
      if ((await realOrNull(at)) === at && !tooBroad(at, scene)) found.set(at, { kind: 'read', at, from: at })
  }
  return [...found.values()]
}

/** The files a command line needs: the program, Node, and scripts with absolute paths. */
export async function filesOf(program: string, args: readonly string[], path: string): Promise<string[]> {
  const files = [program]
  const node = await findProgram('node', path)
  if (node !== null) files.push(node)
  for (const arg of args) if (isAbsolute(arg) && (await isFile(arg))) files.push(arg)
  return files
}

/**
 * The program's path inside. Its name is kept, because some programs check it. If it is reached through several
 * symlinks, only the real file is sure to exist inside.
 */
export async function nameInside(program: string): Promise<string> {
  const real = (await realOrNull(program)) ?? program
  const directory = (await realOrNull(dirname(program))) ?? dirname(program)
  const named = join(directory, basename(program))
  const link = await readlink(named).catch(() => null)
  return link === null || resolve(directory, link) === real ? named : real
}

/** The installation: the outermost node_modules, the package, or just the directory. */
async function installation(file: string, scene: SandboxSoFar): Promise<string> {
  const parts = file.split('/')
  const modules = parts.indexOf('node_modules')
  if (modules !== -1) return parts.slice(0, modules + 1).join('/')
  for (let directory = dirname(file); !tooBroad(directory, scene); directory = dirname(directory))
    if (await isFile(join(directory, 'package.json'))) return directory
  return tooBroad(dirname(file), scene) ? file : dirname(file)
}

/** Directories right below /, and homes, are too broad to open. */
const tooBroad = (directory: string, { neverOpen }: SandboxSoFar): boolean =>
  dirname(directory) === '/' || neverOpen.some((place) => isWithin(directory, place))

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() === true
