import { expect, it } from 'vitest'
import { inPty } from '../../test/support/in-pty.ts'
import { until } from '../../test/support/until.ts'
import { createTtyModes, modeIn } from './tty-modes.ts'

it('terminal settings are read repeatedly, by one process', async () => {
  using modes = createTtyModes()
  using pty = inPty([
    'bash',
    '-c',
    'read -p "name? " x; read -sp "secret? " x; stty raw -echo; echo raw; read x; sleep 1000',
  ])
  await until(() => pty.text().includes('name?'))
  expect(await modes.read(pty.tty)).toEqual({ echo: true, canonical: true })
  pty.type('you\n')
  await until(() => pty.text().includes('secret?'))
  await until(async () => (await modes.read(pty.tty))?.echo === false)
  expect(await modes.read(pty.tty)).toEqual({ echo: false, canonical: true })
  pty.type('hush\n')
  await until(() => pty.text().includes('raw'))
  expect(await Promise.all([modes.read(pty.tty), modes.read('/dev/pts/none'), modes.read(pty.tty)])).toEqual([
    { echo: false, canonical: false },
    null,
    { echo: false, canonical: false },
  ])
})

it.each(['/dev/pts/1; reboot', '$(reboot)', 'relative', '/etc/passwd'])('%s is not a terminal', async (path) => {
  using modes = createTtyModes()
  expect(await modes.read(path)).toBe(null)
})

it('reports nothing after it was disposed', async () => {
  const modes = createTtyModes()
  modes[Symbol.dispose]()
  expect(await modes.read('/dev/tty')).toBe(null)
})

it('settings are found in what stty prints on either system', () => {
  expect(modeIn('speed 38400 baud;\nlflags: -icanon isig iexten -echo echoe -echok;\n')).toEqual({
    echo: false,
    canonical: false,
  })
  expect(modeIn('isig icanon iexten echo echoe echok -echonl\n')).toEqual({ echo: true, canonical: true })
  expect(modeIn('')).toBe(null)
})
