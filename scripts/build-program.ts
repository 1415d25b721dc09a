// Bundles src/bin.ts to a folder: signalbox.js, and the parts it loads. Run by scripts/build.mjs under Node 24.
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { rolldown, type Plugin } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import type { ESTree } from 'rolldown/utils'
import { root } from './lib/say.mjs'

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })

type Imports = { static: readonly string[]; dynamic: readonly string[] }

const source = (path: string): string => join(root, 'src', path)
const serving = ['cli/commands/serve.ts', 'cli/read-config.ts', 'server/serve.ts'].map(source)

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

/**
 * Most commands have a schema only for its type. To a bundler each call may do something, so it would keep them all, and a
 * start would make them. Marked as pure, a schema that nobody uses is left out.
 */
const unusedSchemasLeftOut: Plugin = {
  name: 'signalbox-schemas',
  transform(code, id) {
    if (!id.startsWith(source('')) || !code.includes("from 'zod'")) return null
    const { body } = parseAst(code, { lang: 'ts' })
    const schemas = body
      .map((statement) => (statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement))
      .flatMap((statement) => (statement?.type === 'VariableDeclaration' ? statement.declarations : []))
      .flatMap(({ init }) =>
        init?.type === 'CallExpression' && /^(?:z$|[A-Z])/.test(rootOf(init) ?? '') ? [init] : [],
      )
    const marked = schemas
      .toReversed()
      .reduce(
        (text, { start, end }) =>
          `${text.slice(0, start)}/* @__PURE__ */ (() => ${text.slice(start, end)})()${text.slice(end)}`,
        code,
      )
    return { code: marked, map: null }
  },
}

const bundle = await rolldown({
  cwd: root,
  input: { signalbox: source('bin.ts') },
  platform: 'node',
  // Loaded only if it is used: from node_modules.
  external: ['pg', /^node:/],
  plugins: [unusedSchemasLeftOut, collectImports],
  logLevel: 'warn',
})

/**
 * Each file that is loaded costs a start about half a millisecond, and by default modules are split by who imports them, into
 * eighty files for the server. So there are three: what every command needs, what the server shares with other commands, and
 * the rest of what the server needs to become ready. What is loaded later has files of its own.
 */
type Parts = { command: Set<string>; shared: Set<string>; server: Set<string> }
let parts: Parts | undefined

function partsOf(): Parts {
  if (parts) return parts
  const command = loadedWith(source('main.ts'))
  // It waits for the command to end, and what the command loads would wait for it.
  command.delete(source('main.ts'))
  const missing = serving.find((id) => !modules.has(id))
  if (missing !== undefined) throw new Error(`${missing} is not part of the program; see scripts/build-program.ts`)
  const server = loadedWith(...serving)
  const isCommandLine = (id: string) => id.startsWith(source('cli'))
  const others = [...modules].flatMap(([id, { dynamic }]) => (isCommandLine(id) ? dynamic : []))
  const otherCommands = loadedWith(...others.filter((id) => id !== source('cli/commands/serve.ts')))
  const shared = new Set([...server].filter((id) => otherCommands.has(id)))
  return (parts = { command, shared, server })
}

const group = (name: keyof Parts, priority: number) => ({
  name,
  priority,
  test: (id: string) => partsOf()[name].has(id),
})

/**
 * An import of one of Node's modules reads all that it exports: `node:http` alone then loads undici for its WebSocket,
 * which nobody uses, in 20 ms. Taken this way, a module loads what is used.
 */
const nodeModulesOnDemand: Plugin = {
  name: 'signalbox-node-modules',
  renderChunk: (code) =>
    code.replace(/^import (.+) from ("node:[\w/]+");$/gm, (statement, taken: string, name: string) => {
      const binding = /^\{.*\}$/.test(taken) ? taken.replace(/ as /g, ': ') : /^(?:\* as )?([\w$]+)$/.exec(taken)?.[1]
      if (binding === undefined) throw new Error(`scripts/build-program.ts can't read: ${statement}`)
      return `const ${binding} = process.getBuiltinModule(${name});`
    }),
}

await bundle.write({
  plugins: [nodeModulesOnDemand],
  dir: values.out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups: [group('command', 3), group('shared', 2), group('server', 1)] },
})
await bundle.close()
