import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../../lib/find-program.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'

const run = promisify(execFile)

/** Ten years for the authority, which a phone trusts; phones refuse certificates that are valid for longer than 825 days. */
const authorityDays = '3650'
const certificateDays = '800'

type OwnCertificate = {
  /** What the phone installs. */
  readonly authority: string
  readonly fingerprint: string
  readonly cert: string
  readonly key: string
  /** Whether phones have to trust a new authority. */
  readonly isNew: boolean
}

/** A certificate for a name or address in the local network, from an authority that exists only here. */
export async function ownCertificate(folder: string, host: string, env: NodeJS.ProcessEnv): Promise<OwnCertificate> {
  if (isIP(host) === 0 && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host))
    throw wrongUsage(`"${host}" is not a name or an address of this machine.`)
  const openssl = findProgram('openssl', '/', env)
  if (openssl === null)
    throw new Failure({
      exit: exit.failed,
      code: 'openssl_missing',
      message: 'The program openssl is not installed.',
      hint: 'Install the package openssl.',
    })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const at = (name: string) => join(folder, name)
  const make = async (...args: (readonly string[])[]) => {
    await run(openssl, args.flat(), { env }).catch((error: unknown) => {
      const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(error)
      throw new Failure({ exit: exit.failed, code: 'certificate_failed', message: `openssl: ${said}` })
    })
  }
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const isNew = !existsSync(at('authority.pem'))
  if (isNew)
    await make(
      ['req', '-x509', ...curve, '-days', authorityDays, '-subj', '/CN=Signalbox on this machine'],
      ['-addext', 'basicConstraints=critical,CA:TRUE,pathlen:0', '-addext', 'keyUsage=critical,keyCertSign'],
      ['-keyout', at('authority.key'), '-out', at('authority.pem')],
    )
  const names = isIP(host) === 0 ? `DNS:${host}` : `IP:${host}`
  const extensions = at('extensions')
  const request = at('request')
  await writeFile(
    extensions,
    `subjectAltName=${names}\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\nkeyUsage=digitalSignature\n`,
  )
  await make(
    ['req', '-new', ...curve, '-subj', `/CN=${host.slice(0, 64)}`],
    ['-keyout', at('server.key'), '-out', request],
  )
  await make(
    ['x509', '-req', '-in', request, '-CA', at('authority.pem'), '-CAkey', at('authority.key'), '-CAcreateserial'],
    ['-days', certificateDays, '-extfile', extensions, '-out', at('server.pem')],
  )
  await Promise.all([extensions, request].map((file) => rm(file, { force: true })))
  await Promise.all(['authority.key', 'server.key'].map((name) => chmod(at(name), 0o600)))
  const { fingerprint256 } = new X509Certificate(await readFile(at('authority.pem')))
  return {
    authority: at('authority.pem'),
    fingerprint: fingerprint256,
    cert: at('server.pem'),
    key: at('server.key'),
    isNew,
  }
}
