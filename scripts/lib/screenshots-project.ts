// The small projects that agents work on in the screenshots.

type Files = Readonly<Record<string, string>>

const packageOf = (name: string) =>
  `${JSON.stringify({ name, private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`

/** Sidings for wagons: a change proposed by an agent, before and after. */
export const depot: { readonly before: Files; readonly after: Files } = {
  before: {
    'README.md': '# Depot\n\nFinds a siding for every wagon that arrives.\n',
    'package.json': packageOf('depot'),
    'docs/sidings.md': `# Sidings

A wagon goes to the first open siding that is long enough. Closed sidings are skipped.

Lengths are in metres, over the buffers.
`,
    'src/siding.ts': `import type { Siding, Wagon } from './model.ts'

/** The first siding that is long enough. */
export function sidingFor(wagon: Wagon, sidings: readonly Siding[]): Siding | null {
  for (const siding of sidings) {
    if (siding.isOpen && lengthLeft(siding) > wagon.length) {
      return siding
    }
  }
  return null
}

/** Metres of a siding on which nothing stands yet. */
export function lengthLeft(siding: Siding): number {
  let used = 0
  for (const wagon of siding.wagons) {
    used += wagon.length
  }
  return siding.length - used
}
`,
    'test/siding.test.ts': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sidingFor } from '../src/siding.ts'
import { siding, wagon } from './samples.ts'

test('a closed siding is skipped', () => {
  const closed = siding({ name: 'A', isOpen: false })
  const open = siding({ name: 'B' })
  assert.equal(sidingFor(wagon(12), [closed, open]), open)
})
`,
  },
  after: {
    'src/siding.ts': `import { trainLength } from './coupling.ts'
import type { Siding, Wagon } from './model.ts'

/** Of the open sidings on which it fits, the one with the least room left. */
export function sidingFor(wagon: Wagon, sidings: readonly Siding[]): Siding | null {
  const fitting = sidings.filter((siding) => siding.isOpen && lengthLeft(siding) >= wagon.length)
  return fitting.toSorted((a, b) => lengthLeft(a) - lengthLeft(b))[0] ?? null
}

/** Metres of a siding on which nothing stands yet. */
export function lengthLeft(siding: Siding): number {
  return siding.length - trainLength(siding.wagons)
}
`,
    'src/coupling.ts': `import type { Wagon } from './model.ts'

/** Metres that are kept between two wagons. */
export const couplingGap = 0.6

/** What wagons take up together, coupled. */
export const trainLength = (wagons: readonly Wagon[]): number =>
  wagons.reduce((sum, { length }) => sum + length + couplingGap, 0)
`,
    'test/siding.test.ts': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lengthLeft, sidingFor } from '../src/siding.ts'
import { siding, wagon } from './samples.ts'

test('a closed siding is skipped', () => {
  const closed = siding({ name: 'A', isOpen: false })
  const open = siding({ name: 'B' })
  assert.equal(sidingFor(wagon(12), [closed, open]), open)
})

test('the siding with the least room left is taken', () => {
  const long = siding({ name: 'A', length: 80 })
  const short = siding({ name: 'B', length: 20 })
  assert.equal(sidingFor(wagon(12), [long, short]), short)
})

test('couplings take room, too', () => {
  assert.equal(lengthLeft(siding({ length: 40, wagons: [wagon(12), wagon(12)] })), 14.8)
})
`,
    'docs/sidings.md': `# Sidings

A wagon goes to the open siding on which it leaves the least room. Closed sidings are skipped.

Lengths are in metres, over the buffers. Between two wagons 0.6 m are kept for the coupling.
`,
  },
}

/** What a signal shows; its test fails until the agent has fixed it. */
export const signals: Files = {
  'README.md': '# Signals\n\nWhat each signal of the line shows, and why.\n',
  'package.json': packageOf('signals'),
  'docs/aspects.md': '# Aspects\n\nGreen needs more than two free blocks.\n',
  'src/aspect.js': `/** What a signal shows, by how many blocks behind it are free. */
export function aspectFor(freeBlocks) {
  if (freeBlocks > 2) return 'green'
  if (freeBlocks > 1) return 'yellow'
  return 'red'
}
`,
  'test/aspect.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aspectFor } from '../src/aspect.js'

test('two free blocks are green', () => assert.equal(aspectFor(2), 'green'))
test('one free block is yellow', () => assert.equal(aspectFor(1), 'yellow'))
test('no free block is red', () => assert.equal(aspectFor(0), 'red'))
`,
}

/** A program that waits at a dangerous prompt. */
export const tickets: Files = {
  'README.md': '# Tickets\n\nSells and stores them.\n',
  migrate: `#!/bin/sh
printf '\\033[1mtickets\\033[0m  migrating \\033[36m%s\\033[0m\\n\\n' "$1"
for step in 0041-add-class 0042-split-fares 0043-index-by-day; do printf '  \\033[32m✓\\033[0m %s\\n' "$step"; done
printf '  \\033[33m!\\033[0m 0044-drop-legacy\\n\\n'
printf '    This step deletes data that cannot be restored:\\n'
printf '      tickets_2019      1,204,311 rows\\n'
printf '      tickets_2020        388,902 rows\\n\\n'
printf '\\033[1mDrop 2 tables of database %s?\\033[0m [y/N] ' "$1"
read -r answer
`,
}
