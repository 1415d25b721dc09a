import { describe, expect, it } from 'vitest'
import { startServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { cliCommand, openRunHarness } from './terminals-run-harness.ts'

const asking = 'printf "Overwrite config.toml? [y/N] "; read a; echo "got [$a]"; read b; exit 3'

describe('signalbox attach', () => {
  it('T5 shows the current screen if the server that held it is gone', async () => {
    await using server = await startServer()
    await using harness = await openRunHarness({ home: server.home })
    await harness.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', asking)
    await until(async () => (await harness.cli('terminals', 'show', 'mine')).stdout.includes('It asks'))
    await server.kill('SIGTERM')
    const terminal = harness.openTerminal('attach', 'mine')
    await terminal.until('Overwrite config.toml? [y/N]')
    terminal.type('y\r')
    await terminal.until('got [y]')
    terminal.type('\r')
    expect(await terminal.ended()).toBe(3)
  })

  it('T5 shows output from before and after the server, each once and in order', async () => {
    await using server = await startServer()
    await using harness = await openRunHarness({ home: server.home })
    const script = 'echo with-server; read a; echo without-$a; read b; exit 4'
    await harness.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', script)
    await until(async () => (await harness.cli('terminals', 'show', 'mine')).stdout.includes('with-server'))
    await server.kill()
    const first = harness.openTerminal('attach', 'mine')
    await first.until('with-server')
    first.type('it\r')
    await first.until('without-it')
    first.type('\x1dd')
    await first.ended()
    const second = harness.openTerminal('attach', 'mine')
    await second.until('without-it')
    expect(second.shown().match(/with-server|without-it/g)).toEqual(['with-server', 'without-it'])
    second.type('\r')
    expect(await second.ended()).toBe(4)
  })

  it('T5 prints what scrolled out before, so that it can be scrolled back to, and the screen below it', async () => {
    await using server = await startServer()
    await using harness = await openRunHarness({ home: server.home })
    const script = 'seq -f "line %.0f." 1 300; printf "Go on? [y/n] "; read a; echo "got $a"; read b; exit 3'
    await harness.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', script)
    await until(async () => (await harness.cli('terminals', 'show', 'mine')).stdout.includes('It asks'))
    const terminal = harness.openTerminal('attach', 'mine')
    await terminal.until('Go on? [y/n]')
    const lines = terminal.shown().match(/line \d+\./g)
    expect(lines).toEqual(Array.from({ length: 300 }, (_, index) => `line ${index + 1}.`))
    terminal.type('y\r')
    await terminal.until('got y')
    terminal.type('\r')
    expect(await terminal.ended()).toBe(3)
    expect(terminal.shown().match(/Go on\?/g)).toHaveLength(1)
  })

  it('T5 shows earlier output without the terminal queries in it', async () => {
    await using harness = await openRunHarness()
    const script = String.raw`printf '\033[c\033[6n\033[1mready\033[0m '; read a; printf '\033[cnow'; read b; exit 3`
    await harness.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', script)
    const terminal = harness.openTerminal('attach', 'mine')
    await terminal.until('\x1b[1mready\x1b[0m')
    for (const question of ['\x1b[c', '\x1b[6n']) expect(terminal.shown().includes(question)).toBe(false)
    terminal.type('\r')
    await terminal.until('\x1b[cnow')
    terminal.type('\r')
    expect(await terminal.ended()).toBe(3)
  })

  it('T5 without a terminal ends nothing: the end of its input is not the end of the program’s', async () => {
    await using harness = await openRunHarness()
    await harness.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', asking)
    const script = harness.openTerminalWith('sh', ['-c', `${cliCommand} attach mine </dev/null`])
    await script.until('Overwrite config.toml?')
    await script.until('Standard input is not a terminal')
    const terminal = harness.openTerminal('attach', 'mine')
    await terminal.until('Overwrite config.toml?')
    terminal.type('n\r')
    await script.until('got [n]')
    script.type('\x03')
    expect(await script.ended()).toBe(130)
    terminal.type('\r')
    expect(await terminal.ended()).toBe(3)
  })

  it('T5 leaves the program running when its reader goes away', async () => {
    await using harness = await openRunHarness()
    await harness.cli(
      'run',
      '--name',
      'mine',
      '--detach',
      '--',
      'sh',
      '-c',
      'echo ready; read a; echo more; read b; exit 3',
    )
    const script = harness.openTerminalWith('sh', ['-c', `${cliCommand} attach mine </dev/null | head -n 1; echo over`])
    await script.until('ready')
    const terminal = harness.openTerminal('attach', 'mine')
    await terminal.until('ready')
    terminal.type('\r')
    await script.until('over')
    await terminal.until('more')
    terminal.type('\r')
    expect(await terminal.ended()).toBe(3)
  })

  it('T5 without a name says which terminal it picked', async () => {
    await using harness = await openRunHarness()
    await harness.cli('run', '--name', 'mine', '--detach', '--', 'sh', '-c', asking)
    const terminal = harness.openTerminal('attach')
    await terminal.until(/Terminal [0-9a-f]{8} \(mine\): the only one running here\./)
    await terminal.until('Overwrite config.toml?')
    terminal.type('y\r\r')
    expect(await terminal.ended()).toBe(3)
    await harness.cli('run', '--name', 'one', '--detach', '--', 'sh', '-c', asking)
    await harness.cli('run', '--name', 'two', '--detach', '--', 'sh', '-c', asking)
    const several = await harness.cli('attach')
    expect(several.code).toBe(2)
    expect(several.stderr).toMatch(/attach [0-9a-f]{8} +# one/)
  })
})
