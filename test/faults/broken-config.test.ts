import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshHome, startLife } from '../support/kill-harness-server.ts'
import { within } from '../support/until.ts'

describe('an invalid configuration', () => {
  it.each([
    ['is not TOML', 'http_port = 3000\n[log\nlevel = "info"\n', /config\.toml:2/],
    [
      'has wrong values and names',
      'max_concurrent_session = 3\n[log]\nlevel = "loud"\n',
      /max_concurrent_sessions[\s\S]*level/,
    ],
  ])('is refused before anything is created if it %s', async (_what, text, says) => {
    using home = freshHome()
    writeFileSync(join(home.path, 'config.toml'), text)
    await using life = await startLife({ home: home.path })
    const { code } = await within(life.exited, 'the end of the server')
    expect(code).toBeGreaterThan(0)
    expect(life.printed()).toMatch(says)
    expect(life.printed()).not.toMatch(/^\s+at /m)
    expect(existsSync(join(home.path, 'signalbox.db'))).toBe(false)
  })
})
