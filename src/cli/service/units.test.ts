import { expect, it } from 'vitest'
import { launchdPlist, systemdUnit } from './units.ts'

const spec = {
  command: ['/opt/my node/bin/node', '/opt/signal%box/signalbox.js'],
  dataDir: '/home/ann/$data "x"',
  config: undefined,
  path: '/usr/bin:/bin',
  user: null,
}

it('words of a unit are quoted, and no specifier or variable is expanded', () => {
  const unit = systemdUnit(spec)
  expect(unit).toContain('ExecStart="/opt/my node/bin/node" /opt/signal%%box/signalbox.js serve\n')
  expect(unit).toContain('Environment="SIGNALBOX_HOME=/home/ann/$$data \\"x\\""\n')
  expect(unit).toContain('KillMode=process')
  expect(unit).not.toContain('User=')
})

it('a property list is XML, whatever the paths', () => {
  const text = launchdPlist({ ...spec, dataDir: '/Users/a&b/<x>' })
  expect(text).toContain('<string>/Users/a&amp;b/&lt;x&gt;</string>')
  expect(text).toContain('<key>AbandonProcessGroup</key><true/>')
})
