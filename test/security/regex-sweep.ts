import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A regular expression of the product, and where it is. */
export type Found = { file: string; source: string; flags: string }

const root = fileURLToPath(new URL('../..', import.meta.url))

const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.(test|d)\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !file.includes('/golden/'))

/** All literals in the product. */
export const literals = (): Found[] =>
  ['src', 'web']
    .flatMap(filesIn)
    .flatMap((file) =>
      literalsIn(readFileSync(join(root, file), 'utf8')).map((found) => Object.assign(found, { file })),
    )

/** After these a slash begins a regular expression; after a name, a number or a closing bracket it divides. */
const beforeLiteral = /(?:^|[(,=:[!&|?{};+\-*%~^\n]|=>|\b(?:return|typeof|case|in|of|yield|await))\s*$/

export function literalsIn(text: string): { source: string; flags: string }[] {
  const found: { source: string; flags: string }[] = []
  // Bracket depth of code in template literals.
  const templates: number[] = []
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '/' && text[at + 1] === '/') at = ends(text, '\n', at)
    else if (char === '/' && text[at + 1] === '*') at = ends(text, '*/', at + 2) + 1
    else if (char === '"' || char === "'") at = afterQuote(text, at, char)
    else if (char === '`') at = inTemplate(at + 1)
    else if (char === '{') depth += 1
    else if (char === '}') {
      if (templates.at(-1) === depth) {
        templates.pop()
        at = inTemplate(at + 1)
      } else depth -= 1
    } else if (char === '/' && text[at + 1] !== '>' && beforeLiteral.test(text.slice(Math.max(0, at - 40), at))) {
      const end = endOfLiteral(text, at)
      if (end === null) continue
      const flags = /^[a-z]*/.exec(text.slice(end + 1, end + 10))?.[0] ?? ''
      found.push({ source: text.slice(at + 1, end), flags })
      at = end + flags.length
    }
  }
  return found

  function inTemplate(from: number): number {
    for (let at = from; at < text.length; at += 1) {
      if (text[at] === '\\') at += 1
      else if (text[at] === '`') return at
      else if (text[at] === '$' && text[at + 1] === '{') {
        templates.push(depth)
        return at + 1
      }
    }
    return text.length
  }
}

const ends = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at
}

function afterQuote(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === quote || text[at] === '\n') return at
  }
  return text.length
}

function endOfLiteral(text: string, start: number): number | null {
  let inClass = false
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text[at]
    if (char === '\n') return null
    if (char === '\\') at += 1
    else if (char === '[') inClass = true
    else if (char === ']') inClass = false
    else if (char === '/' && !inClass) return at
  }
  return null
}

/** Those built when modules are loaded: collected from the pure modules in a separate process. */
export function composed(): Found[] {
  const pure = ['src/lib', 'src/domain', 'src/edges/terminal/capture', 'src/edges/terminal/recording', 'src/client']
  const files = pure.flatMap(filesIn).filter((file) => !/worker|main\.ts|table\.ts/.test(file))
  const script = `
    const found = []
    const Plain = RegExp
    globalThis.RegExp = new Proxy(Plain, { construct(target, args, made) {
      const one = Reflect.construct(target, args, made)
      const place = new Error().stack?.split('\\n').find((line) => line.includes('/src/')) ?? ''
      if (place !== '' && !place.includes('node_modules')) found.push({ file: place.replace(/^.*\\/src\\//, 'src/').replace(/\\)$/, ''), source: one.source, flags: one.flags })
      return one
    } })
    for (const file of ${JSON.stringify(files.map((file) => pathToFileURL(join(root, file)).href))}) await import(file)
    console.log(JSON.stringify(found))
    process.exit(0)`
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '[]') as Found[]
}

/** Texts for each part of a regular expression, and pairs of them, that may make it slow. */
export function pumpsFor({ source }: Found): { prefixes: string[]; pumps: string[] } {
  const plain = source.replaceAll(/\(\?(?:<?[=!]|:|<[A-Za-z]+>)/g, '(')
  const words = plain
    .split(/\\[bBdDwWsSpPkuxcnrtfv0-9](?:\{[^}]*\})?|\[(?:[^\]\\]|\\.)*\]|\{\d*,?\d*\}|[()|^$.*+?]/)
    .map((word) => word.replaceAll(/\\(.)/g, '$1'))
    .filter((word) => word !== '')
  const classes: [RegExp, string][] = [
    [/\\d|0-9/, '0'],
    [/\\w|a-z|\\p\{L/, 'a'],
    [/A-Z|\\p\{Lu/, 'A'],
    [/\\s|\\t/, ' '],
    [/\\s|\\n|\[\^/, '\n'],
    [/\.|\[\^|\\W|\\S|\\P/, '!'],
  ]
  const inside = [...plain.matchAll(/\[\^?((?:[^\]\\]|\\.)*)\]/g)].flatMap(([, chars = '']) =>
    Array.from(chars.replaceAll(/\\([^dwspnrtubxk])/gi, '$1').replaceAll(/\\[a-zA-Z](?:\{[^}]*\})?/g, '')).slice(0, 4),
  )
  const units = [
    ...new Set([...classes.flatMap(([look, char]) => (look.test(source) ? [char] : [])), ...inside, ...words]),
  ]
  const few = units.slice(0, 10)
  const pairs = few.slice(0, 5).flatMap((one) => few.slice(0, 5).flatMap((two) => (one === two ? [] : [one + two])))
  return { prefixes: ['', ...new Set(words.slice(0, 1))], pumps: [...new Set(['a', ' ', ...few, ...pairs])] }
}
