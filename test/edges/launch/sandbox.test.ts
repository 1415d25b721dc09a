import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wrapCommand } from '../../../src/edges/acp/launch/launch.ts'
import { until, within } from '../../support/until.ts'
import { noSandbox, places, prepared, shell, shellAgent, started } from './support.ts'

const write = 'echo x > "$1" && echo written || echo refused'
const tryWrite = (path: string): string => `set -- '${path}'; { ${write}; } 2>/dev/null`

describe.skipIf(noSandbox)('in the sandbox', () => {
  it('the workspace is writable, and writes reach the disk', async () => {
    await using at = await places()
    expect(await shell(at, 'pwd; echo hello > made.txt')).toBe(at.workspace)
    expect(await readFile(join(at.workspace, 'made.txt'), 'utf8')).toBe('hello\n')
  })

  it('the system is readable and not writable', async () => {
    await using at = await places()
    expect(await shell(at, `ls /etc/passwd; ${tryWrite('/etc/signalbox-was-here')}`)).toBe('/etc/passwd\nrefused')
    expect(await shell(at, `${tryWrite('/usr/signalbox-was-here')}; ${tryWrite('/var/signalbox-was-here')}`)).toBe(
      'refused\nrefused',
    )
  })

  it('the home is empty except for the way to the workspace, and files written there vanish', async () => {
    await using at = await places()
    await writeFile(join(at.home, 'secret.txt'), 'hidden')
    await mkdir(join(at.home, '.ssh'))
    expect(await shell(at, 'ls -A ~; echo x > ~/scratch; ls ~')).toBe('work\nscratch\nwork')
    expect(existsSync(join(at.home, 'scratch'))).toBe(false)
    expect(await shell(at, 'for d in /home /root; do test -d $d && ls -A $d; done; ls -A /run/user 2>/dev/null')).toBe(
      '',
    )
  })

  it('temporary files are private, and TMPDIR is a writable directory', async () => {
    await using at = await places()
    const outside = join(at.root, 'tmp')
    await mkdir(outside)
    await writeFile(join(outside, 'of-somebody'), '')
    const hostEnv = { PATH: process.env['PATH'], HOME: at.home, TMPDIR: outside }
    expect(await shell(at, 'echo $TMPDIR; ls -A $TMPDIR; echo x > $TMPDIR/mine; ls $TMPDIR', {}, { hostEnv })).toBe(
      `${outside}\nmine`,
    )
    expect(await readdir(outside)).toEqual(['of-somebody'])
    expect(await shell(at, 'echo $TMPDIR; echo x > $TMPDIR/mine; cat $TMPDIR/mine')).toBe('/tmp\nx')
  })

  it('the agent’s paths are open: created if missing, for writing or for reading', async () => {
    await using at = await places()
    await mkdir(join(at.home, 'real'))
    await symlink(join(at.home, 'real'), join(at.home, '.linked'))
    await mkdir(join(at.home, 'docs'))
    await writeFile(join(at.home, 'docs', 'a.md'), 'read me\n')
    const agent = {
      openPaths: ['~/.agent', '~/.agent.json', '~/.linked', '${AGENT_HOME:-~/.other}/state', '${UNSET_HOME}/x'],
      readPaths: ['~/docs', '~/missing'],
      env: { AGENT_HOME: join(at.home, 'chosen') },
    }
    const script = `cat ~/docs/a.md ~/.agent.json; for f in .agent/x .linked/x chosen/state/x .agent.json docs/a.md; do set -- ~/$f; { ${write}; } 2>/dev/null; done`
    expect(await shell(at, script, agent)).toBe('read me\n{}\nwritten\nwritten\nwritten\nwritten\nrefused')
    for (const file of ['.agent/x', 'real/x', 'chosen/state/x', '.agent.json'])
      expect(await readFile(join(at.home, file), 'utf8')).toBe('x\n')
  })

  it('Signalbox’s data directory and socket are invisible, inside the workspace and outside', async () => {
    await using at = await places(join(process.cwd(), '.cache'))
    for (const dataDir of [at.dataDir, join(at.workspace, 'deep', 'data'), join(at.home, 'data')]) {
      await mkdir(join(dataDir, 'run'), { recursive: true })
      await writeFile(join(dataDir, 'signalbox.db'), 'rows')
      const socket = join(dataDir, 'run', 's.sock')
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(socket, resolve))
      const agent = { readPaths: [at.root], openPaths: ['~'] }
      expect(await shell(at, `ls -A ${dataDir}; test -e ${socket} && echo there`, agent, { dataDir })).toBe('')
      expect(await shell(at, `ls -A ${dataDir} 2>/dev/null; test -e ${socket} && echo there`, {}, { dataDir })).toBe('')
      await new Promise((resolve) => server.close(resolve))
    }
  })

  it('a workspace inside the data directory is open, and the rest of that directory is not', async () => {
    await using at = await places(join(process.cwd(), '.cache'))
    const workspace = join(at.dataDir, 'worktrees', 'one')
    await mkdir(workspace, { recursive: true })
    await writeFile(join(at.dataDir, 'signalbox.db'), 'rows')
    expect(await shell(at, 'echo x > made; ls -A; ls -A ../..', {}, { workspace })).toBe('made\nworktrees')
  })

  it('a configuration file elsewhere can’t be read', async () => {
    await using at = await places(join(process.cwd(), '.cache'))
    const file = join(at.workspace, 'signalbox.toml')
    await writeFile(file, 'secret')
    const hostEnv = { PATH: process.env['PATH'], HOME: at.home, SIGNALBOX_CONFIG: file }
    expect(await shell(at, `cat ${file} 2>/dev/null || echo refused`, {}, { hostEnv })).toBe('refused')
  })

  it('a program in the home can run, with what was installed next to it', async () => {
    await using at = await places()
    const modules = join(at.home, 'lib', 'node_modules', 'agent')
    await mkdir(join(modules, 'lib'), { recursive: true })
    await mkdir(join(at.home, 'bin'))
    await writeFile(join(modules, 'cli.sh'), `#!/bin/sh\ncat ${modules}/lib/words\nls -A ~\n`, { mode: 0o755 })
    await writeFile(join(modules, 'lib', 'words'), 'from beside\n')
    await symlink('../lib/node_modules/agent/cli.sh', join(at.home, 'bin', 'agent'))
    const agent = shellAgent('', { command: 'agent', args: [] })
    const launch = await prepared(at, agent, { hostEnv: { PATH: `${at.home}/bin:/usr/bin:/bin`, HOME: at.home } })
    expect((await started(launch).ended).trim()).toBe('from beside\nbin\nlib\nwork')
  })

  it('a program directly in the home does not open the home', async () => {
    await using at = await places()
    await writeFile(join(at.home, 'secret'), '')
    await writeFile(join(at.home, 'agent.sh'), '#!/bin/sh\nls -A ~\n', { mode: 0o755 })
    const launch = await prepared(at, shellAgent('', { command: '~/agent.sh', args: [] }))
    expect((await started(launch).ended).trim()).toBe('agent.sh\nwork')
  })

  it('commands the agent asks for are confined the same way', async () => {
    await using at = await places()
    const launch = await prepared(at, shellAgent('true'))
    await mkdir(join(at.workspace, 'sub'))
    const argv = wrapCommand(launch, ['sh', '-c', 'pwd; ls -A ~'])
    const { ended } = started({ ...launch, argv, cwd: join(at.workspace, 'sub') })
    expect((await ended).trim()).toBe(`${at.workspace}/sub\nwork`)
  })

  it('nothing is left when the outer process group is killed, not even what left it', async () => {
    await using at = await places()
    const script = `setsid sh -c 'echo ready; exec sleep 600' & wait`
    const { child, ended, output } = started(await prepared(at, shellAgent(script)))
    await until(() => output().includes('ready'))
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    // Its output ends only when the last process that holds it is gone.
    expect(await within(ended, 'the end of every process')).toBe('ready\n')
  })

  it('can’t be undone from inside, not even with namespaces of its own', async () => {
    await using at = await places()
    await writeFile(join(at.home, 'secret'), 'hidden')
    const undo = `umount ${at.home}; umount -l /tmp; mount -o remount,rw,bind /; ${tryWrite('/etc/was-here')}; cat ~/secret`
    for (const script of [
      undo,
      `unshare -Urm sh -c "${undo.replaceAll('"', String.raw`\"`).replaceAll('$', String.raw`\$`)}"`,
    ])
      expect(await shell(at, `{ ${script}; } 2>/dev/null; true`)).toBe('refused')
  })

  it('processes outside are invisible', async () => {
    await using at = await places()
    expect(await shell(at, `test -e /proc/${process.pid}/environ && tr '\\0' '\\n' < /proc/1/environ`)).not.toMatch(
      /vitest/i,
    )
  })
})
