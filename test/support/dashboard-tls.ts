import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright-core'
import { findBrowser } from '../../scripts/lib/browser.mjs'
import type { Api } from './api.ts'
import { makeCertificate } from './certificate.ts'

/** A TLS proxy with a self-signed certificate, as described in docs/phone.md. */
export type TlsProxy = AsyncDisposable & {
  readonly origin: string
  leadsTo(address: string): void
}

export async function openTlsProxy(): Promise<TlsProxy> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'sbp-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  let target = ''
  const server = createServer(makeCertificate(folder, 'IP:127.0.0.1'), (incoming, outgoing) => {
    const from = incoming.socket.remoteAddress ?? ''
    const onward = request(
      `${target}${incoming.url}`,
      {
        method: incoming.method,
        headers: { ...incoming.headers, 'x-forwarded-for': from, 'x-forwarded-proto': 'https' },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  stack.defer(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  })
  const kept = stack.move()
  return {
    origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadsTo(address) {
      target = address
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** A browser that accepts the certificate everywhere; accepting it only for pages would refuse service workers. */
export function openTrustingBrowser(skip: { skip: (note?: string) => never }): Promise<Browser> {
  const executablePath = findBrowser() ?? skip.skip('no browser found')
  const asRoot = process.getuid?.() === 0
  const args = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--ignore-certificate-errors']
  return chromium.launch({ executablePath, headless: true, chromiumSandbox: !asRoot, args })
}

/** Where a server listens if its printed address is a proxy's; its cookie's name contains the port. */
export async function ownAddress(owner: Api): Promise<string> {
  const { text } = await owner.send('GET', '/api/openapi.json')
  const port = /signalbox_login_(\d+)/.exec(text)?.[1]
  if (port === undefined) throw new Error('no listening address in its output')
  return `http://127.0.0.1:${port}`
}
