import { globSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, normalize, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf, type Import } from './support/imports.ts'

const root = dirname(import.meta.dirname)

const nodeModules = 'node:*'
const packages = 'package:*'
// The words of the domain, which edges and clients use too.
const schemas =
  'src/domain/*/@(schema|id|status|statuses|kinds|phase|answer|answer-words|outcomes|attention|subject|actor|cursor|hears|about|budget|diagnose|overview|records|payload|run|shown-effect|container-config).ts'

// The part of lib that the dashboard uses too: no Node, no zod.
const libForBrowsers =
  'src/lib/{serial-queue,parse-json,diff/scan-diff,diff/read-diff,diff/loose-header,browser-name}.ts'

// The files of a slice that contain SQL, by name; all others are pure.
const sql = 'store|store-*|query|slice|slice-*|grounds'
const stores = `src/domain/*/@(${sql}).ts`
const pure = `src/domain/*/!(${sql}).ts`

// Packages that reach a database: files that may not import src/db may not bypass it either.
const databasePackages = ['better-sqlite3', 'pg', 'kysely'].map((name) => `package:${name}`)
const databaseFolders = ['src/db/**', stores, 'src/domain/*/table.ts', 'src/app/**']

/**
 * Who may import what, and why not more. The first row that matches the file applies; what it does not list is an error.
 * `own` is the file's own folder under src; `later` lists what may only be imported on demand, by `import()`.
 */
const borders: { from: string; to: string[]; later?: string[]; why: string }[] = [
  {
    from: 'src/server/**',
    to: ['src/**', nodeModules, packages],
    why: 'the server is assembled here, from everything',
  },
  {
    from: 'src/bin.ts',
    to: [nodeModules],
    later: ['src/main.ts', 'src/cli/terminal/run-at-once.ts', 'src/lib/disposal-stacks.ts'],
    why: 'what is compiled before the compile cache is on is compiled at every start: import the rest by import()',
  },
  {
    from: 'src/main.ts',
    to: ['src/lib/**', 'src/cli/**', nodeModules],
    later: ['src/server/serve.ts', 'src/server/maintenance.ts'],
    why: 'small commands must start without loading the server: import the server only when it is needed, by import()',
  },
  { from: 'src/lib/**', to: ['src/lib/**', nodeModules, packages], why: 'lib knows nothing about the domain' },
  {
    from: stores,
    to: ['src/lib/**', 'src/domain/**', 'src/db/**', nodeModules, packages],
    why: 'a store is SQL for the domain: it needs lib, domain and db',
  },
  {
    from: 'src/domain/*/table.ts',
    to: ['src/lib/**', pure, 'package:zod', 'package:kysely'],
    why: 'tables are types of rows: no database code',
  },
  {
    from: 'src/domain/**',
    to: ['src/lib/**', pure, 'src/domain/terminal/detect/**', 'package:zod'],
    why: 'the domain is pure: lib, other pure domain files and zod',
  },
  {
    from: 'src/db/**',
    to: ['own', 'src/lib/**', 'src/domain/*/table.ts', nodeModules, packages],
    why: 'db knows rows (domain/*/table.ts), not rules',
  },
  {
    from: 'src/app/**',
    to: ['own', 'src/lib/**', 'src/domain/**', 'src/db/**', nodeModules, packages],
    why: 'the app decides; how it is reached is the edges’ business',
  },
  {
    from: 'src/client/**',
    to: ['own', 'src/lib/**', schemas, 'package:zod', 'package:eventsource-parser'],
    why: 'the client also runs in a browser: lib, the words of the domain, zod and a reader of event streams',
  },
  {
    from: 'src/edges/policy/**',
    to: ['own', 'src/lib/**', 'src/app/**', 'src/domain/policy/!(store|table).ts', schemas, nodeModules, packages],
    why: 'policies are files that hold rules: this edge reads them, the domain says what they mean',
  },
  {
    from: 'src/edges/terminal/**',
    to: [
      'own',
      'src/lib/**',
      'src/app/**',
      'src/keeper-client/client.ts',
      'src/domain/terminal/!(store|query|table).ts',
      'src/domain/terminal/detect/**',
      schemas,
      nodeModules,
      packages,
    ],
    why: 'a terminal is watched by the rules of the domain: this edge feeds them screens and bytes',
  },
  {
    from: 'src/edges/chat/**',
    to: [
      'own',
      'src/lib/**',
      'src/app/**',
      'src/domain/chat/incoming.ts',
      'src/domain/chat/web-chat.ts',
      'src/domain/chat-post/content.ts',
      schemas,
      nodeModules,
      packages,
    ],
    why: 'platforms turn their frames into the words of the domain, and cards into messages',
  },
  {
    from: 'src/edges/*/**',
    to: [
      'own',
      'src/lib/**',
      'src/app/**',
      'src/client/**',
      'src/keeper-client/client.ts',
      schemas,
      nodeModules,
      packages,
    ],
    why: 'an edge talks only to the app: no other edge, no database, no rules',
  },
  {
    from: 'src/keeper/**',
    to: ['own', 'src/lib/**', nodeModules, packages],
    why: 'the keeper outlives the server: only lib',
  },
  {
    from: 'src/keeper-client/**',
    to: ['own', 'src/lib/**', 'src/keeper/protocol/**', nodeModules, packages],
    why: 'the server and the command line share the protocol with the keeper, and nothing else of it',
  },
  {
    from: 'src/relay/**',
    to: [nodeModules],
    why: 'the relay runs in the sandbox of an agent: small, and without our other code',
  },
  {
    from: 'src/runner/**',
    to: ['own', 'src/lib/**', nodeModules],
    why: 'the runner holds a container while the server is away: only lib',
  },
  {
    from: 'src/practice/**',
    to: ['own', 'src/lib/**', nodeModules, packages],
    why: 'the practice agent is an agent like any other: it knows ACP, not Signalbox',
  },
  {
    from: 'src/cli/commands/detect.ts',
    to: ['src/cli/**', 'src/lib/**', 'src/edges/terminal/corpus.ts', nodeModules],
    why: 'recorded terminals are judged here, without a server',
  },
  {
    from: 'src/cli/**',
    to: [
      'own',
      'src/lib/**',
      'src/client/**',
      'src/keeper-client/client.ts',
      'src/keeper-client/attach.ts',
      schemas,
      'src/config.ts',
      'src/config/**',
      nodeModules,
      packages,
    ],
    why: 'the command line is a client of the API',
  },
  {
    from: 'src/config{.ts,.test.ts,/**}',
    to: ['own', 'src/config.ts', 'src/lib/**', schemas, nodeModules, packages],
    why: 'configuration is read before anything else exists',
  },
  {
    from: 'web/**',
    to: ['web/**', 'src/client/**', libForBrowsers, schemas, packages],
    why: 'it runs in a browser: its own folder, the words of the API, and the part of lib without Node',
  },
  {
    from: 'test/conformance/**',
    to: ['test/conformance/**', 'test/support/**', nodeModules, packages],
    why: 'conformance tests drive the product from outside',
  },
  {
    from: 'test/**',
    to: ['src/**', 'web/**', 'test/**', 'scripts/**', '*.*', nodeModules, packages],
    why: 'tests may import anything',
  },
]

// A test may use what its source may, plus test support.
const forTests = ['test/**', nodeModules, packages]

const files = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}', 'test/**/*.ts'], { cwd: root }).sort()
const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const imports = new Map([...sources].map(([file, source]) => [file, importsOf(source)]))

describe('import borders', () => {
  it('are respected by every file under src, web and test', () => {
    const crossed = files.flatMap((file) => imports.get(file)?.flatMap((found) => judge(file, found) ?? []) ?? [])
    expect(crossed, crossed.join('\n')).toEqual([])
  })

  it('keep src out of conformance tests, also through test/support', () => {
    const reached = files.filter((file) => file.startsWith('test/conformance/')).flatMap(pathsIntoSrc)
    expect(reached, reached.join('\n')).toEqual([])
  })

  it.each([
    ['src/domain/ask/decide.ts', './store.ts', /domain is pure/],
    ['src/domain/ask/decide.ts', 'node:fs', /domain is pure/],
    ['src/edges/http/in.ts', '../mcp/in.ts', /no other edge/],
    ['src/edges/http/in.ts', '../../db/open.ts', /no database/],
    ['src/edges/http/in.ts', 'pg', /no database/],
    ['src/keeper/output/spool.ts', '../../domain/session/schema.ts', /only lib/],
    ['src/bin.ts', './main.ts', /by import\(\)/],
    ['src/main.ts', './server/serve.ts', /by import\(\)/],
    ['src/shared/util.ts', 'zod', /no row/],
  ])('do not allow %s to import %s', (file, specifier, why) => {
    expect(judge(file, { specifier, later: false })).toMatch(why)
  })
})

describe('files', () => {
  it('under src, web and test are at most 400 lines long', () => {
    const lengths = [...sources].map(([file, source]) => ({ file, lines: source.trimEnd().split('\n').length }))
    const long = lengths
      .filter(({ lines }) => lines > 400)
      .map(({ file, lines }) => `${file} has ${lines} lines: split it`)
    expect(long, long.join('\n')).toEqual([])
  })
})

/** Who may call `JSON.parse`; everyone else uses `parseJson`, which checks what it reads. */
const mayParseJson: Record<string, string> = {
  'src/lib/parse-json.ts': 'checks it with a schema or a guard',
  'src/keeper/protocol/frames.ts': 'checks that it is a record right there',
  'src/relay/main.ts': 'imports nothing of ours, and checks its plan itself',
}

describe('JSON', () => {
  it('is read only by parseJson, so that every value is checked', () => {
    const parsing = [...sources].filter(
      ([file, source]) => /^(?:src|web)\//.test(file) && !file.endsWith('.test.ts') && /\bJSON\.parse\b/.test(source),
    )
    expect(parsing.map(([file]) => file).filter((file) => !(file in mayParseJson))).toEqual([])
  })
})

/** Tests in which time itself matters, and there is nothing to wait for instead. */
const mayLetTimePass: Record<string, string> = {
  'test/terminals/people.test.ts': 'the second person answers a moment after the first',
  'test/terminals/people-surfaces.ts': 'a second tap counts half a second after the first',
  'test/terminals/libraries/surfaces.ts': 'a second tap counts half a second after the first',
  'test/support/until.ts': 'polls: everything else waits with it',
  'test/faults/acp-crash.test.ts': 'kills at random moments, and leaves agents alone without a server',
  'test/faults/acp-disk.test.ts': 'the disk stays full for longer than any timeout in the server',
  'test/faults/acp-keeper.test.ts': 'kills between two steps that are invisible from outside',
  'test/conformance/agents-restarts.test.ts': 'kills at random moments',
  'test/conformance/git-life.test.ts': 'kills at several moments of a merge',
  'test/faults/apply-kill.test.ts': 'kills at random moments',
  'test/faults/kill-trial.ts': 'kills at random moments',
  'test/support/ending-trial.ts': 'gives up on a process that does not end',
  'test/terminals/secrets-many.test.ts': 'types as slowly as a person',
  'test/support/loop-agent.ts': 'an agent that tries again after a moment',
  'test/support/loop-killer.ts': 'kills at random moments',
  'test/support/loop-operator.ts': 'a person who checks again after a moment',
  'test/support/loop-server.ts': 'kills at random moments of a start',
  'test/support/loop-trial.ts': 'a person who takes a random time to answer',
  'test/support/agents/model/model.ts': 'a model that speaks slowly',
  'test/support/mcp-fixture-tools.ts': 'tools that take their time',
  'test/terminals/run-case.ts': 'checks that a screen stays the same',
  'test/terminals/secrets-type.ts': 'a program that turns echo off late',
}
const lettingTimePass = /node:timers\/promises|waitForTimeout\(|\bsetTimeout\((?:resolve|done|r)\b/

describe('tests', () => {
  it('wait for what they expect, and let time pass only for a reason listed here', () => {
    const sleepers = [...sources].flatMap(([file, source]) => {
      const isTest = (file.startsWith('test/') && file !== 'test/boundaries.test.ts') || file.endsWith('.test.ts')
      const sleeps = lettingTimePass.test(source) && !source.includes('vi.useFakeTimers')
      return isTest && sleeps && !(file in mayLetTimePass) ? [file] : []
    })
    expect(sleepers).toEqual([])
  })
})

/** Files that load what is known only at run time. */
const mayImportByName: Record<string, string> = {
  'src/edges/chat/bridge/load-adapter.ts': 'loads the chat adapter that the operator installed',
}

function judge(file: string, { specifier, later }: Import): string | undefined {
  if (specifier === undefined) {
    return file.startsWith('src/') && !(file in mayImportByName)
      ? `${file} must not import by a computed name: its border can't be checked`
      : undefined
  }
  const target = targetOf(file, specifier)
  const border = borders.find(({ from }) => matchesGlob(file, from))
  if (!border) return `${file} must not exist: test/boundaries.test.ts has no row for it`
  const isTest = /^(?:src|web)\//.test(file) && file.endsWith('.test.ts')
  const allowed = [...border.to, ...(later ? (border.later ?? []) : []), ...(isTest ? forTests : [])]
  const own = file.split('/').slice(0, file.startsWith('src/edges/') ? 3 : 2)
  const fits = allowed.some((to) => matchesGlob(target, to === 'own' ? `${own.join('/')}/**` : to))
  if (fits && !goesRoundDb(file, target)) return undefined
  return `${file} must not import ${target.replace('package:', '')}: ${border.why}`
}

describe('the changelog', () => {
  // A merge of two changelogs easily keeps both.
  it('has each subject once, as a heading, and stays short', () => {
    const { changes = '' } = /## Unreleased\n(?<changes>[^]*?)(?:\n## |$)/.exec(
      readFileSync(join(root, 'CHANGELOG.md'), 'utf8'),
    )!.groups!
    const lines = changes.split('\n')
    const headings = lines.filter((line) => line.startsWith('### '))
    expect(headings).toEqual([...new Set(headings)])
    expect(
      lines.filter((line) => /^[A-Z].*:$/.test(line)),
      'subjects without ###',
    ).toEqual([])
    expect(lines.length, 'lines').toBeLessThan(250)
  })
})

function goesRoundDb(file: string, target: string): boolean {
  if (!databasePackages.includes(target) || !file.startsWith('src/') || file.endsWith('.test.ts')) return false
  return !databaseFolders.some((folder) => matchesGlob(file, folder))
}

/** A path from the repository's root, `node:…`, or `package:` with the package's name. */
function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(file), specifier))
  if (specifier.startsWith('node:')) return specifier.replaceAll('/', '.')
  const parts = specifier.split('/')
  return `package:${specifier.startsWith('@') ? parts.slice(0, 2).join('.') : parts[0]}`
}

function pathsIntoSrc(start: string): string[] {
  const seen = new Set([start])
  const queue = [[start]]
  const found: string[] = []
  for (const path of queue) {
    const file = path.at(-1) ?? start
    for (const { specifier } of imports.get(file) ?? []) {
      const next = specifier?.startsWith('.') ? relative(root, join(root, dirname(file), specifier)) : undefined
      if (!next || seen.has(next)) continue
      seen.add(next)
      if (next.startsWith('src/')) found.push([...path, next].join(' → '))
      else queue.push([...path, next])
    }
  }
  return found
}
