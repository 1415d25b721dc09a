import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { McpHarness } from '../conformance/mcp-harness.ts'
import { openOperationsHarness } from '../conformance/operations-harness.ts'
import { openAsk, startSession } from '../conformance/work.ts'

const config = `[commands]
fetch = "git fetch *"
sync = "rsync *"
copy = "cp *"
show = "cat *"
docs = "cat docs/*"
units = "npm run test:*"
install = "npm install *"
out = "build --out=dist"
remote = "git ls-remote origin*"
`

describe('words of a command', () => {
  let harness: McpHarness
  let outside: string
  beforeAll(async () => {
    harness = await openOperationsHarness({ config })
    outside = await mkdtemp(join(tmpdir(), 'sba-'))
    await writeFile(join(outside, 'secret'), 'x')
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(outside, { recursive: true, force: true })
  })

  async function work() {
    const place = await harness.place()
    await place.policy({ enabled: true, commands: ['*'], risk_level_threshold: 'high' })
    const agent = harness.server.api(harness.token)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const runs = async (command: string) =>
      (await openAsk(agent, session, { subject: { kind: 'command', command, cwd: place.path } })).status
    return { place, runs }
  }

  it('S7 an address in any form is not covered by a trailing *', async () => {
    const { runs } = await work()
    for (const line of [
      'git fetch origin',
      'rsync a b',
      'npm run test:unit',
      'npm run test:unit:fast',
      'npm install left-pad@1.3.0',
    ])
      expect([line, await runs(line)]).toEqual([line, 'answered'])
    const through: string[] = []
    for (const line of [
      'git fetch git@host:x',
      'git fetch host:x',
      'git fetch user@host:',
      'git fetch ssh://host/x',
      'git fetch git+ssh://host/x',
      'git fetch https://host/x',
      'git fetch file:///etc',
      'git fetch ext::sh',
      'git fetch host.example.org:x/y.git',
      'git fetch 10.0.0.1:x',
      'git fetch [::1]:x',
      'rsync a host:x',
      'rsync host:x a',
      'rsync a user@host:x',
      'rsync a host::module',
      'rsync a host::module/x',
      'rsync a rsync://host/x',
      'rsync a user@10.0.0.1',
      'rsync a user@host',
      'cp a \\\\host\\share',
      'cp a //host/share',
      'cp a smb:x',
      'npm install git@host:x',
      'npm install user@host.example.org',
      'npm install github:user/repo',
      'npm install left-pad@evil.example',
      'git ls-remote originx:y',
      'git ls-remote origin.example.org:y',
      'npm run test:a@host:x',
      'cat docs/a:b',
    ])
      if ((await runs(line)) !== 'open') through.push(line)
    expect(through).toEqual([])
  })

  it('S7 a word that is or leads through a link out of the workspace, or to a protected file, is asked about', async () => {
    const { place, runs } = await work()
    await mkdir(join(place.path, 'docs'))
    await mkdir(join(place.path, '.git'))
    await writeFile(join(place.path, 'docs', 'plain'), '')
    await writeFile(join(place.path, '.git', 'config'), '')
    await writeFile(join(place.path, '.npmrc'), '')
    await symlink(outside, join(place.path, 'away'))
    await symlink(join(outside, 'secret'), join(place.path, 'docs', 'secret'))
    await symlink('/etc/hostname', join(place.path, 'docs', 'host'))
    await symlink('../.git', join(place.path, 'docs', 'repo'))
    await symlink('../.npmrc', join(place.path, 'docs', 'rc'))
    await symlink(join(outside, 'not-there'), join(place.path, 'docs', 'dangling'))
    await symlink('plain', join(place.path, 'docs', 'inside'))
    await link(join(place.path, '.npmrc'), join(place.path, 'docs', 'hard'))
    for (const line of ['cat docs/plain', 'cat docs/inside', 'cat docs/new', 'build --out=dist'])
      expect([line, await runs(line)]).toEqual([line, 'answered'])
    const through: string[] = []
    for (const line of [
      'cat away',
      'cat away/secret',
      'cat docs/plain away/secret',
      'cat docs/secret',
      'cat docs/host',
      'cat docs/repo/config',
      'cat docs/rc',
      'cat docs/dangling',
      'cat docs/hard',
      'cp docs/plain docs/secret',
    ])
      if ((await runs(line)) !== 'open') through.push(line)
    expect(through).toEqual([])
    await symlink(outside, join(place.path, 'dist'))
    expect(await runs('build --out=dist')).toBe('open')
  })
})
