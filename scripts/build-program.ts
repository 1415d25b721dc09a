// Bundles src/bin.ts to a folder: signalbox.js, and the parts it loads. Run by scripts/build.mjs under Node 24.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rolldown, type Plugin } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import type { ESTree } from 'rolldown/utils'
import { api } from '../src/client/contract.ts'
import { nodeModulesOnDemand } from './lib/node-modules-on-demand.mjs'
import { root } from './lib/say.mjs'

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })

type Imports = { static: readonly string[]; dynamic: readonly string[] }

const source = (path: string): string => join(root, 'src', path)
const serving = ['cli/commands/serve.ts', 'cli/read-config.ts', 'server/serve.ts'].map(source)

/** What most commands load to ask the server, and to print its answer. None of it needs Zod. */
const asking = ['cli/connect.ts', 'client/client.ts', 'cli/commands/asks.ts', 'cli/commands/status.ts'].map(source)

const modules = new Map<string, Imports>()
const collectImports: Plugin = {
  name: 'signalbox-imports',
  buildEnd() {
    for (const id of this.getModuleIds()) {
      const found = this.getModuleInfo(id)
      if (found) modules.set(id, { static: found.importedIds, dynamic: found.dynamicallyImportedIds })
    }
  },
}

/** These modules, and all that they import statically. */
function loadedWith(...ids: string[]): Set<string> {
  const seen = new Set<string>()
  for (const next = [...ids]; next.length > 0;) {
    const id = next.pop() ?? ''
    const found = modules.get(id)
    if (!found || seen.has(id)) continue
    seen.add(id)
    next.push(...found.static)
  }
  return seen
}

/** The name that a chain of calls begins with: `z` of `z.string().max(10)`. */
function rootOf(node: ESTree.Node): string | null {
  if (node.type === 'CallExpression') return rootOf(node.callee)
  if (node.type === 'MemberExpression') return rootOf(node.object)
  return node.type === 'Identifier' ? node.name : null
}

const schemaMethods = ['default', 'extend', 'meta', 'nullable', 'omit', 'optional', 'partial', 'pick']

/** The schemas that a module makes when it is loaded: `z.object(…)`, `Ask.extend(…)`, `idOf(…)`, also as fields of an object. */
function schemasMadeBy(value: ESTree.Node | null): ESTree.Node[] {
  if (value?.type === 'ObjectExpression')
    return value.properties.flatMap((property) => (property.type === 'Property' ? schemasMadeBy(property.value) : []))
  if (value?.type !== 'CallExpression') return []
  const { callee } = value
  const method = callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : ''
  return ['z', 'idOf'].includes(rootOf(callee) ?? '') || schemaMethods.includes(method) ? [value] : []
}

/**
 * A start would make every schema of the program, and needs few of them. So each is made when it is first used. To a bundler
 * a call may do something: marked as pure, a schema that is there only for its type is left out.
 */
const schemasOnDemand: Plugin = {
  name: 'signalbox-schemas',
  transform(code, id) {
    if (!id.startsWith(source('')) || !code.includes("from 'zod'")) return null
    const { body } = parseAst(code, { lang: 'ts' })
    const schemas = body
      .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
      .flatMap((statement) => (statement?.type === 'VariableDeclaration' ? statement.declarations : []))
      .flatMap(({ init }) => schemasMadeBy(init))
    if (schemas.length === 0) return null
    const marked = schemas
      .toReversed()
      .reduce(
        (text, { start, end }) =>
          `${text.slice(0, start)}/* @__PURE__ */ schemaLater(() => ${text.slice(start, end)})${text.slice(end)}`,
        code,
      )
    return {
      code: `import { later as schemaLater } from ${JSON.stringify(source('lib/later.ts'))}\n${marked}`,
      map: null,
    }
  },
}

/** The command line gets only the part of the contract that calls need, as browsers do (build-web.ts): the checks are the server's. */
const addressesAlone: Plugin = {
  name: 'signalbox-addresses',
  resolveId: (id, importer) =>
    /(?:^\.|\/client)\/contract\.ts$/.test(id) && /\/src\/(?:cli\/.+|client\/client)\.ts$/.test(importer ?? '')
      ? '\0signalbox-addresses'
      : null,
  load(id) {
    if (id !== '\0signalbox-addresses') return null
    const routes = Object.entries(api).map(([name, { method, path, body }]) => [
      name,
      { method, path, ...(body && { body: true }) },
    ])
    return `export const api = ${JSON.stringify(Object.fromEntries(routes))}`
  },
}

/**
 * The adapter of Hono names three web classes when it is loaded, to derive lighter ones from them. Node then loads undici, in
 * a quarter of the processor time of a start, and requests to our API never need it. So it gets stand-ins
 * (`src/lib/web-classes.ts`). It also asks of each request whether it came by HTTP/2. We serve HTTP/1.1 alone, and Node's part
 * for the other takes a tenth of that time.
 */
const lighterAdapter: Plugin = {
  name: 'signalbox-lighter-adapter',
  transform(code, id) {
    if (!id.endsWith('@hono/node-server/dist/index.mjs')) return null
    const replaced = adapterChanges.reduce((text, [from, to]) => {
      const parts = text.split(from)
      if (parts.length !== 2) throw new Error(`@hono/node-server has changed: ${from} (see scripts/build-program.ts)`)
      return parts.join(to)
    }, code)
    return { code: `${adapterStandIns}\n${replaced}`, map: null }
  },
}

const adapterStandIns = `class Http2ServerRequest {}
const constants = {}
import { shadowWebClasses, standInFor } from ${JSON.stringify(source('lib/web-classes.ts'))}
const Headers = standInFor('Headers')`

/** What its release has, and what we build. */
const adapterChanges = [
  ['import { Http2ServerRequest, constants } from "node:http2";', ''],
  ['const GlobalHeaders = globalThis.Headers;', 'const GlobalHeaders = Headers;'],
  ['globalThis.Headers === GlobalHeaders ? new RequestHeaders(incoming)', 'true ? new RequestHeaders(incoming)'],
  ['const GlobalRequest = global.Request;', "const GlobalRequest = standInFor('Request');"],
  ['const GlobalResponse = global.Response;', "const GlobalResponse = standInFor('Response');"],
  ['global.Request !== Request$1', 'true'],
  ['Object.defineProperty(global, "Request", { value: Request$1 });', 'shadowWebClasses(Request$1, Response$1);'],
  ['Object.defineProperty(global, "Response", { value: Response$1 });', ''],
  // For WebSockets, which we do not use.
  ['globalThis.CloseEvent ?? ', ''],
  ['globalThis.ErrorEvent ?? ', ''],
] as const

const bundle = await rolldown({
  cwd: root,
  input: { signalbox: source('bin.ts') },
  platform: 'node',
  // Loaded only if it is used: from node_modules.
  external: ['pg', /^node:/],
  // The oldest Node that a package runs on.
  transform: { target: 'node22' },
  plugins: [lighterAdapter, addressesAlone, schemasOnDemand, collectImports],
  logLevel: 'warn',
})

/**
 * Each file that is loaded costs a start about half a millisecond, and by default modules are split by who imports them, into
 * eighty files for the server. So there are five: what `run -- PROGRAM` needs, what every command needs, what those need that
 * ask the server, what the server shares with other commands, and the rest of what the server needs to become ready. What is loaded later has files of its own.
 */
type Parts = Readonly<Record<'run' | 'command' | 'talk' | 'shared' | 'server', Set<string>>>
let parts: Parts | undefined

function partsOf(): Parts {
  if (parts) return parts
  const run = loadedWith(source('cli/terminal/run-at-once.ts'))
  const command = loadedWith(source('main.ts'))
  // It waits for the command to end, and what the command loads would wait for it.
  command.delete(source('main.ts'))
  const talk = loadedWith(...asking)
  const missing = [...serving, ...asking].find((id) => !modules.has(id))
  if (missing !== undefined) throw new Error(`${missing} is not part of the program; see scripts/build-program.ts`)
  const server = loadedWith(...serving)
  const isCommandLine = (id: string) => id.startsWith(source('cli'))
  const others = [...modules].flatMap(([id, { dynamic }]) => (isCommandLine(id) ? dynamic : []))
  const otherCommands = loadedWith(...others.filter((id) => id !== source('cli/commands/serve.ts')))
  const shared = new Set([...server].filter((id) => otherCommands.has(id)))
  return (parts = { run, command, talk, shared, server })
}

const group = (name: keyof Parts, priority: number) => ({
  name,
  priority,
  test: (id: string) => partsOf()[name].has(id),
})

const nodeModulesLater: Plugin = {
  name: 'signalbox-node-modules',
  renderChunk: (code) => nodeModulesOnDemand(code, 'scripts/build-program.ts'),
}

/** All templates with a tag. */
function taggedTemplates(node: unknown): ESTree.TaggedTemplateExpression[] {
  if (Array.isArray(node)) return node.flatMap(taggedTemplates)
  if (typeof node !== 'object' || node === null) return []
  const found =
    'type' in node && node.type === 'TaggedTemplateExpression' ? [node as ESTree.TaggedTemplateExpression] : []
  return [...found, ...Object.values(node).flatMap(taggedTemplates)]
}

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const escaped = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (character) => character.split('').map(escapeOf).join(''))

/** The same text in a template without `String.raw`. */
const cooked = (raw: string): string =>
  escaped(raw.replace(/\\(`|\$\{)?/g, (_backslash, next?: string) => `\\\\${next === undefined ? '' : `\\${next}`}`))

/**
 * V8 keeps a text with one character beyond Latin-1 in twice the space, and reads it more slowly, so these are written as
 * escapes. Our sources have them only in comments and texts.
 */
const asciiOnly: Plugin = {
  name: 'signalbox-ascii',
  // Not in renderChunk: rolldown prints the code once more after that.
  generateBundle(_options, files) {
    for (const file of Object.values(files)) if (file.type === 'chunk') file.code = inAscii(file.code)
  },
}

function inAscii(code: string): string {
  let written = ''
  let at = 0
  const copy = (end: number) => {
    written += escaped(code.slice(at, end))
    at = end
  }
  for (const { start, end, tag, quasi } of taggedTemplates(parseAst(code)).toSorted((a, b) => a.start - b.start)) {
    if (!/\P{ASCII}/u.test(code.slice(start, end))) continue
    if (start < at || code.slice(tag.start, tag.end) !== 'String.raw')
      throw new Error(`scripts/build-program.ts can't write in ASCII: ${code.slice(start, start + 60)}`)
    copy(start)
    at = tag.end
    for (const { start: from, end: to } of quasi.quasis) {
      copy(from)
      written += cooked(code.slice(from, to))
      at = to
    }
    copy(end)
  }
  copy(code.length)
  return written
}

await bundle.write({
  plugins: [nodeModulesLater, asciiOnly],
  dir: values.out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: {
    groups: [group('run', 5), group('command', 4), group('talk', 3), group('shared', 2), group('server', 1)],
  },
})
await bundle.close()
