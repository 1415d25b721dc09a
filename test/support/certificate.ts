import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A certificate of our own for a name, or an address as `IP:127.0.0.1`, and its key. */
export function makeCertificate(folder: string, name: string) {
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  const alternative = name.includes(':') ? name : `DNS:${name}`
  const subject = ['-subj', `/CN=${name.replace(/^IP:/, '')}`, '-addext', `subjectAltName=${alternative}`]
  execFileSync('openssl', ['req', ...kind, '-keyout', key, '-out', file, ...subject], { stdio: 'pipe' })
  return { key: readFileSync(key), cert: readFileSync(file), file }
}
