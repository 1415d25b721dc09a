import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { request } from 'node:https'
import { describe, expect, it } from 'vitest'
import { cleanEnv, runCli, startServer, type Server } from '../support/server.ts'

type Made = { authority: string; fingerprint: string; cert: string; address: string; config: string; isNew: boolean }
type Paired = { reach: string; url: string; check: { works: boolean; says: string } | null }

/** A directory with programs that answer like the real ones. */
async function programs(folder: string, scripts: Record<string, string>): Promise<string> {
  const bin = join(folder, 'bin')
  await mkdir(bin, { recursive: true })
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(bin, name), 0o755)
  }
  return [bin, process.env['PATH'] ?? ''].join(delimiter)
}

const pairWith = (server: Server, path: string) =>
  runCli(['pair'], cleanEnv({ SIGNALBOX_HOME: server.home, PATH: path }))

describe('signalbox pair', () => {
  it('B10 lists the ways that work on this machine, first those for which everything is here', async () => {
    await using server = await startServer({})
    const state = { BackendState: 'Running', Self: { DNSName: 'box.tail1234.ts.net.' } }
    const path = await programs(server.outside, {
      tailscale: `printf '%s' '${JSON.stringify(state)}'`,
      caddy: 'exit 0',
    })
    const pair = await pairWith(server, path)
    expect(pair.code).toBe(1)
    expect(pair.stdout).toMatch(/✓ A private network: Tailscale[^]*box\.tail1234\.ts\.net/)
    expect(pair.stdout).toContain(`tailscale serve --bg ${new URL(server.address).port}`)
    expect(pair.stdout).toContain('public_url = "https://box.tail1234.ts.net"')
    expect(pair.stdout).toMatch(/✓ A reverse proxy[^]*caddy found/)
    expect(pair.stdout).toMatch(/· A public tunnel/)
    expect(pair.stdout.indexOf('✓')).toBeLessThan(pair.stdout.indexOf('·'))
  })

  it('B10 a program that is there and does not work, or lies about its name, is no way', async () => {
    await using server = await startServer({})
    const lies = { BackendState: 'Running', Self: { DNSName: 'x" \n[agents.evil]\ncommand = "sh' } }
    for (const script of [
      'exit 1',
      `printf '%s' '${JSON.stringify({ BackendState: 'Stopped' })}'`,
      `printf '%s' '${JSON.stringify(lies)}'`,
    ]) {
      const path = await programs(server.outside, { tailscale: script })
      const { stdout } = await pairWith(server, path)
      expect(stdout).toMatch(/· A private network: Tailscale/)
      expect(stdout).not.toContain('evil')
    }
  })

  it('B10 makes a certificate of its own for a name, which a phone that trusts the authority accepts', async () => {
    await using server = await startServer({})
    const made = JSON.parse((await server.cli('pair', '--lan', 'localhost', '--json')).stdout) as Made
    expect(made).toMatchObject({ isNew: true, fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/) })
    const said = execFileSync('openssl', ['x509', '-in', made.authority, '-noout', '-fingerprint', '-sha256'])
    expect(said.toString()).toContain(made.fingerprint)
    expect((await stat(made.authority.replace(/pem$/, 'key'))).mode & 0o077).toBe(0)
    // As told, but only on loopback: tests open no port to others.
    const config = made.config.replace('host = "0.0.0.0"', 'host = "localhost"')
    await server.restart(config.replace(/^public_url.*$/m, ''))
    const port = Number(new URL(server.address).port)
    const ca = await readFile(made.authority)
    const status = await new Promise((resolve, reject) => {
      request({ host: 'localhost', port, path: '/healthz', ca }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)

    const again = JSON.parse((await server.cli('pair', '--lan', 'localhost', '--json')).stdout) as Made
    expect(again).toMatchObject({ isNew: false, fingerprint: made.fingerprint })
    expect((await server.cli('pair', '--lan', 'x" -subj')).code).toBe(2)
  })

  it('B10 opens the public address as a phone would, and says what is wrong with it', async () => {
    await using server = await startServer({
      config: '[http]\npublic_url = "https://nowhere.invalid"\ntrusted_proxies = ["loopback"]\n',
    })
    const nowhere = JSON.parse((await server.cli('pair', '--json')).stdout) as Paired
    expect(nowhere).toMatchObject({ check: { works: false, says: 'The name nowhere.invalid leads nowhere.' } })
    expect((await server.cli('pair')).stderr).toContain('Checked from this machine: The name')
  })
})
