import { createHash } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import { fail, ok, type Failed, type Result } from '../../result.ts'
import type { Engine } from '../engine.ts'
import type { ContainerSettings } from '../settings.ts'
import { aptPackage, npmPackage } from '../package-names.ts'
import { hasImage } from './base-image.ts'
import { tar } from './tar.ts'

type Packages = ContainerSettings['packages']

export function wrongPackage({ apt, npm }: Packages): string | undefined {
  return apt.find((name) => !aptPackage.test(name)) ?? npm.find((name) => !npmPackage.test(name))
}

/** The same packages on the same image are the same image. */
export function packagesTag(base: string, { apt, npm }: Packages): string {
  const content = JSON.stringify([3, base, apt.toSorted(), npm.toSorted()])
  return `localhost/signalbox-packages:${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
}

/** Those of the image, beside Node's own: a company's proxy may have one. A missing file is only noted. */
const ownCertificates = 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'

/** Apt takes a name that is not there for a regular expression, and installs whatever fits. */
const exactNames = '-o APT::Cmd::Pattern-Only=true'

/** No name has a quote; the shell must not see a tilde or the like. */
const quoted = (names: readonly string[]): string =>
  names
    .toSorted()
    .map((name) => `'${name}'`)
    .join(' ')

/** What is run to make the image: this text is what people approve. */
export function packagesRecipe(base: string, { apt, npm }: Packages): string {
  const lines = [`FROM ${base}`, 'USER 0:0']
  if (apt.length > 0)
    lines.push(
      `RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ${exactNames} ` +
        `${quoted(apt)} && rm -rf /var/lib/apt/lists/*`,
    )
  if (npm.length > 0)
    lines.push(
      `RUN HOME=/tmp ${ownCertificates} npm install --global --prefix /usr/local --no-fund --no-audit ${quoted(npm)} ` +
        `&& rm -rf /tmp/.npm`,
    )
  lines.push('USER 1000:1000')
  return `${lines.join('\n')}\n`
}

/** Builds the image of these packages. The log comes line by line; nothing waits for it. */
export async function buildPackages(
  engine: Engine,
  base: string,
  packages: Packages,
  options: { readonly labels: Readonly<Record<string, string>>; onLog(line: string): void },
): Promise<Result<string>> {
  const wrong = wrongPackage(packages)
  if (wrong !== undefined) return notAName(wrong)
  const tag = packagesTag(base, packages)
  if (await hasImage(engine, tag)) return ok(tag)
  const query = new URLSearchParams({
    t: tag,
    dockerfile: 'Dockerfile',
    // Packages come from their registries; a running container has no network.
    networkmode: 'host',
    labels: JSON.stringify(options.labels),
    rm: '1',
    forcerm: '1',
  })
  const context = tar([{ name: 'Dockerfile', kind: 'text', text: packagesRecipe(base, packages), mode: 0o644 }])
  const last: string[] = []
  for await (const said of engine.lines('POST', `/build?${query.toString()}`, { tar: context })) {
    // A failure comes in the middle of an answer that began well.
    if (typeof said['error'] === 'string') return notBuilt([...last, said['error']])
    if (typeof said['stream'] !== 'string') continue
    const text = stripVTControlCharacters(said['stream'])
    for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
      last.push(line)
      if (last.length > 20) last.shift()
      options.onLog(line)
    }
  }
  // A connection that broke just ends: only an image is a success.
  return (await hasImage(engine, tag)) ? ok(tag) : notBuilt(last)
}

const notAName = (name: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'package_name_invalid',
    message: `${JSON.stringify(name)} is not the name of a package.`,
    hint: 'Write names as apt and npm know them, such as ripgrep or typescript@5.9.2.',
  })

const notBuilt = (last: readonly string[]): Failed =>
  fail({
    kind: 'unavailable',
    code: 'image_not_built',
    message: `The image was not built: ${reasonIn(last) ?? 'the engine stopped answering'}`,
    details: { log: last },
  })

/** The words of the package manager, rather than those of the engine about it. */
const reasonIn = (lines: readonly string[]): string | undefined =>
  (
    lines.find((line) => /^(?:npm (?:error|ERR!) (?!code|errno|syscall|A complete)|E: )/.test(line)) ?? lines.at(-1)
  )?.trim()
