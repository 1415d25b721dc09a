import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dataDirectory } from './data-directory.ts'

describe('the data directory', () => {
  it('on Linux follows XDG_DATA_HOME when it is absolute', () => {
    expect(dataDirectory({ XDG_DATA_HOME: '/data' }, 'linux', '/home/ann')).toBe('/data/signalbox')
    expect(dataDirectory({ XDG_DATA_HOME: 'data' }, 'linux', '/home/ann')).toBe('/home/ann/.local/share/signalbox')
    expect(dataDirectory({}, 'linux', '/home/ann')).toBe('/home/ann/.local/share/signalbox')
  })

  it('on macOS is in Application Support', () => {
    expect(dataDirectory({}, 'darwin', '/Users/ann')).toBe('/Users/ann/Library/Application Support/Signalbox')
  })

  it('on Windows is in the local application data', () => {
    const local = 'C:\\Users\\ann\\AppData\\Local'
    expect(dataDirectory({ LOCALAPPDATA: local }, 'win32', 'C:\\Users\\ann')).toBe(`${local}\\Signalbox`)
    expect(dataDirectory({}, 'win32', 'C:\\Users\\ann')).toBe(`${local}\\Signalbox`)
  })

  it('is SIGNALBOX_HOME when that is set, made absolute', () => {
    expect(dataDirectory({ SIGNALBOX_HOME: '/srv/box', XDG_DATA_HOME: '/data' }, 'linux', '/home/ann')).toBe('/srv/box')
    expect(dataDirectory({ SIGNALBOX_HOME: 'box' }, 'linux', '/home/ann')).toBe(resolve('box'))
    expect(dataDirectory({ SIGNALBOX_HOME: '~/box' }, 'linux', '/home/ann')).toBe('/home/ann/box')
    expect(dataDirectory({ SIGNALBOX_HOME: '' }, 'linux', '/home/ann')).toBe('/home/ann/.local/share/signalbox')
  })
})
