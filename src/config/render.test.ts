import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { variableFor } from './environment.ts'
import { parseFile } from './file.ts'
import { renderExample, renderReference } from './render.ts'
import { allKeys, splitKey } from './schema.ts'

const uncommented = renderExample()
  .split('\n')
  .map((line) => line.replace(/^# (?=[a-z_]+ = |\[)/, ''))
  .join('\n')

describe('the example file', () => {
  it('matches the schema (vitest -u writes it)', async () => {
    await expect(renderExample()).toMatchFileSnapshot('../../config.example.toml')
  })

  it('sets nothing unedited', () => {
    const layer = parseFile('config.example.toml', Buffer.from(renderExample()))
    expect(layer).toEqual({ given: [], faults: [] })
  })

  it('has every key, and each passes its own check, when everything is uncommented', () => {
    const layer = parseFile('config.example.toml', Buffer.from(uncommented))
    if ('unread' in layer) throw new Error(layer.unread.message)
    expect(layer.faults).toEqual([])
    expect(layer.given.map(({ key }) => key).sort()).toEqual([...allKeys.keys()].sort())
    for (const { key, value } of layer.given) {
      const faults: string[] = []
      allKeys.get(key)?.check(value, (path, message) => faults.push(`${key} ${path.join('.')} ${message}`), [])
      expect(faults).toEqual([])
    }
  })

  it('shows the default of every key that has one', () => {
    const values = parse(uncommented)
    for (const [dottedKey, { fallback, kind }] of allKeys) {
      if (fallback === null || kind === 'table') continue
      const [section, name] = splitKey(dottedKey)
      expect(section === '' ? values : values[section]).toHaveProperty([name], fallback)
    }
  })
})

describe('the reference', () => {
  it('matches the schema (vitest -u writes it)', async () => {
    await expect(renderReference()).toMatchFileSnapshot('../../docs/configuration.md')
  })

  it('names every key, its variable and its description', () => {
    const text = renderReference()
    for (const [key, { about }] of allKeys) {
      expect(text).toContain(`\`${splitKey(key)[1]}\``)
      expect(text).toContain(`\`${variableFor(key)}\``)
      expect(text).toContain(about)
    }
  })

  it('describes every key in one line', () => {
    for (const [key, { about }] of allKeys) expect([key, about]).toEqual([key, expect.stringMatching(/^[A-Z].{5,}\.$/)])
  })
})
