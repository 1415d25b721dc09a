import { spawnSync } from 'node:child_process'
import { chmod, chown, lstat, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AgentSession } from '../conformance/agents-harness.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import { openSandboxHarness, standings, type SandboxHarness } from './sandbox-harness.ts'

const stranger = 54_322
const isRoot = process.getuid?.() === 0

/** cap_setuid, effective, in the kernel's format. */
const capability = 'pack("VVVVV", 0x02000001, 1 << 7, 0, 0, 0)'
const setxattr = { x64: 188, arm64: 5 }[process.arch as 'x64' | 'arm64']

/** Each way to leave a file with setuid bits behind. */
const ways: Record<string, string> = {
  chmod: 'cp /usr/bin/id NAME; chmod 4755 NAME',
  'chmod of the group': 'cp /usr/bin/id NAME; chmod 2755 NAME',
  'chmod in a namespace of its own': 'cp /usr/bin/id NAME; unshare -Ur chmod 6755 NAME',
  'open with a mode': `perl -e 'use Fcntl; sysopen(F, "NAME", O_CREAT | O_WRONLY, 04755); print F "x"'`,
  mknod: `perl -e 'require "syscall.ph" if 0; syscall(${process.arch === 'x64' ? '133, "NAME", 0104755, 0' : '33, -100, "NAME", 0104755, 0'})'`,
  install: 'install -m 4755 /usr/bin/id NAME',
  tar: `mkdir t && cp /usr/bin/id t/x && tar -C t --mode=4755 -cf t.tar x && tar -xpf t.tar && mv x NAME; rm -rf t t.tar`,
  'node fs.open': `node -e 'require("fs").openSync("NAME", "w", 0o6755)'`,
}

describe.each(standings)('a hostile agent in the sandbox of $as', ({ uid, missing }) => {
  const skipped = missing !== null || !sandboxWorks()
  let harness: SandboxHarness
  let workspace: string
  let session: AgentSession
  beforeAll(async () => {
    if (skipped) return
    harness = await openSandboxHarness({ uid })
    workspace = await harness.place('work')
    session = await harness.start(workspace)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it.skipIf(skipped).each(Object.entries(ways))('S4 leaves no setuid file behind by %s', async (way, script) => {
    const name = way.replaceAll(/\W/g, '-')
    await harness.run(session, script.replaceAll('NAME', name))
    for (const one of await readdir(workspace, { recursive: true }))
      expect([one, (await lstat(join(workspace, one))).mode & 0o6000]).toEqual([one, 0])
  })

  it.skipIf(skipped || !isRoot)('S4 leaves no program behind that changes the user of others', async () => {
    await harness.run(session, 'cp /usr/bin/setpriv set; chmod 4755 set; cp /usr/bin/setpriv cap')
    const give = `perl -e 'my $c = ${capability}; syscall(${setxattr}, "cap", "security.capability", $c, length $c, 0)'`
    await harness.run(
      session,
      `${give}; unshare -Ur ${give}; setcap cap_setuid+ep cap; unshare -Ur setcap cap_setuid+ep cap`,
    )
    for (const name of ['set', 'cap']) {
      const { stdout } = spawnSync(join(workspace, name), ['--reuid=0', 'id', '-u'], {
        uid: stranger,
        gid: stranger,
        encoding: 'utf8',
      })
      expect([name, stdout]).toEqual([name, ''])
    }
  })

  it.skipIf(skipped)('S4 works as usual: modes, setgid directories, archives, git', async () => {
    const shared = join(workspace, 'shared')
    await mkdir(shared)
    if (uid !== undefined) await chown(shared, uid, uid)
    await chmod(shared, 0o2775)
    const said = await harness.run(
      session,
      'set -e; mkdir shared/sub; touch shared/sub/f; chmod 755 shared/sub/f; printf x > shared/sub/g; mkdir -m 700 p; ' +
        'tar -cf a.tar shared/sub; mkdir u; tar -xf a.tar -C u; cp -a shared/sub/f v; ' +
        'git init -q r; cd r; git -c user.name=A -c user.email=a@b commit -q --allow-empty -m one; git clone -q . ../c; echo all done',
    )
    expect(said).toBe('all done')
    expect((await stat(join(shared, 'sub'))).mode & 0o7777).toBe(0o2755)
    expect((await stat(join(shared, 'sub', 'f'))).mode & 0o777).toBe(0o755)
  })
})

describe.runIf(isRoot && sandboxWorks())('a server that runs as root', () => {
  it('S4 refuses a workspace of another user, and says what to do', async () => {
    await using harness = await openSandboxHarness()
    const workspace = await harness.place('of-somebody')
    await chown(workspace, stranger, stranger)
    const refusal = await harness.server
      .api()
      .refused('POST', '/api/sessions', { agent: 'hostile', workspaceRoot: workspace })
    expect(refusal).toMatchObject({ status: 400, code: 'workspace_of_others' })
    const { text } = await harness.server
      .api()
      .send('POST', '/api/sessions', { body: { agent: 'hostile', workspaceRoot: workspace } })
    expect(text).toMatch(/belongs to user 54322/)
    expect(text).toMatch(/chown -R root: .*of-somebody/)
    // It may write where everyone may.
    await chmod(workspace, 0o777)
    const session = await harness.start(workspace)
    expect(await harness.run(session, 'echo x > made && echo written')).toBe('written')
    expect(await readFile(join(workspace, 'made'), 'utf8')).toBe('x\n')
  })

  it('S4 starts programs from unusual directories with the files next to them, and exposes nothing else there', async () => {
    const tools = '/srv/signalbox-test-tools'
    try {
      for (const name of ['bin', 'lib']) await mkdir(join(tools, name), { recursive: true })
      await writeFile(join(tools, 'lib', 'part'), 'part\n')
      await writeFile(join(tools, 'secret'), 'secret\n')
      await writeFile(join(tools, 'bin', 'mytool'), `#!/bin/sh\ncat ${tools}/lib/part\n`, { mode: 0o755 })
      await using harness = await openSandboxHarness({ path: `${process.env['PATH']}:${tools}/bin` })
      const session = await harness.start(await harness.place('work'))
      expect(await harness.run(session, `mytool; cat ${tools}/secret 2>/dev/null || echo hidden`)).toBe('part\nhidden')
    } finally {
      await rm(tools, { recursive: true, force: true })
    }
  })
})
