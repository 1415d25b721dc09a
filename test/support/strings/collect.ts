import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { isLabel, isText } from './rules.ts'

export type UserString = { surface: string; text: string }

/** Which part of the product shows the strings of a file; the first match applies. */
const surfaces: [name: string, paths: RegExp][] = [
  ['Dashboard', /^web\//],
  ['Command line', /^src\/(?:cli\/|bin\.ts)/],
  ['Configuration', /^src\/config/],
  ['MCP tools', /^src\/edges\/mcp\//],
  ['API', /^src\/(?:client|edges\/http)\//],
  ['Practice agent', /^src\/practice\//],
  ['Server', /^src\//],
]
const logSurface = 'Logs'

/** Tests, examples of other programs' output, which the detector is tested with, and the words that it knows. */
const leftOut = /\.test\.|\/golden\/|\/danger\/(?:weights|meanings)\.ts$/

type Node = { type: string; [field: string]: unknown }

export function collectStrings(root: string): UserString[] {
  const files = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: root }).filter((file) => !leftOut.test(file))
  return files.flatMap((file) => stringsOf(file, readFileSync(join(root, file), 'utf8')))
}

/** The strings of one source file that a person may read. */
export function stringsOf(file: string, source: string): UserString[] {
  const parsed = parseSync(file, source)
  if (parsed.errors.length > 0) throw new Error(`${file}: ${parsed.errors[0]?.message}`)
  const surface = surfaces.find(([, paths]) => paths.test(file))?.[0] ?? 'Server'
  const found: UserString[] = []
  walk(parsed.program as unknown as Node, { surface, labels: false }, (text, at) => {
    const shown = text.trim()
    if (isText(shown) || (at.labels && isLabel(shown))) found.push({ surface: at.surface, text: shown })
  })
  return found
}

type At = { surface: string; labels: boolean }
type Take = (text: string, at: At) => void

/** Properties and attributes that hold a label, which may be a single word. */
const labelled =
  /^(?:label|title|message|hint|text|summary|description|placeholder|alt|heading|caption|detail|note|help|say|said|words|empty|aria-label|aria-description)$/i
/** Attributes and properties that never hold text. */
const codeProperties =
  /^(?:className|class|style|id|key|href|to|src|type|role|name|value|htmlFor|for|code|sql|pattern|d|viewBox|points|rel|target|path|from|event|selector|method|aria-(?:labelledby|describedby|controls|live|current|haspopup))$/
/** Functions whose arguments are code. */
const codeCalls =
  /^(?:includes|startsWith|endsWith|indexOf|lastIndexOf|split|match|matchAll|test|RegExp|raw|querySelector|querySelectorAll|closest|getElementById|cx|cn|clsx|addEventListener|get|has|prepare|exec|literal|ref|Error|TypeError|RangeError|AggregateError|derivedId|URL|assert|invariant|hasOwn|import)$/
const logCalls = /^(?:trace|debug|info|warn|error|fatal)$/

function walk(node: Node, at: At, take: Take): void {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSTypeAliasDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAnnotation':
    case 'TSTypeParameterInstantiation':
    case 'TaggedTemplateExpression':
      return
    case 'Literal':
      if (typeof node['value'] === 'string') take(node['value'], at)
      return
    case 'TemplateLiteral':
    case 'BinaryExpression':
      if (node.type === 'TemplateLiteral' || node['operator'] === '+') {
        const parts: Node[] = []
        const text = joined(node, parts)
        if (text !== undefined) {
          take(text, at)
          for (const part of parts) walk(part, { ...at, labels: false }, take)
          return
        }
      }
      if (/^[!=]=/.test(String(node['operator'])) || node['operator'] === 'in') {
        for (const side of [node['left'], node['right']] as Node[]) if (side.type !== 'Literal') walk(side, at, take)
        return
      }
      break
    case 'SwitchCase':
      for (const statement of node['consequent'] as Node[]) walk(statement, at, take)
      return
    case 'Property':
    case 'PropertyDefinition': {
      const key = keyOf(node['key'] as Node)
      if (node['computed']) walk(node['key'] as Node, at, take)
      if (key !== undefined && codeProperties.test(key) && isString(node['value'] as Node)) return
      if (node['value']) walk(node['value'] as Node, { ...at, labels: holdsLabel(at, key) }, take)
      return
    }
    case 'MemberExpression':
      walk(node['object'] as Node, at, take)
      if (node['computed'] && (node['property'] as Node).type !== 'Literal') walk(node['property'] as Node, at, take)
      return
    case 'JSXAttribute': {
      const name = keyOf(node['name'] as Node)
      if (name !== undefined && codeProperties.test(name)) return
      if (node['value']) walk(node['value'] as Node, { ...at, labels: holdsLabel(at, name) }, take)
      return
    }
    case 'JSXElement':
    case 'JSXFragment':
      if (node['openingElement']) walk(node['openingElement'] as Node, at, take)
      walkChildren(node['children'] as Node[], at, take)
      return
    case 'CallExpression':
    case 'NewExpression': {
      const callee = node['callee'] as Node
      const name = keyOf(callee.type === 'MemberExpression' ? (callee['property'] as Node) : callee)
      walk(callee, at, take)
      const args = node['arguments'] as Node[]
      const isLog = callee.type === 'MemberExpression' && name !== undefined && logCalls.test(name)
      for (const arg of args) {
        if (name !== undefined && codeCalls.test(name) && isString(arg)) continue
        walk(arg, { surface: isLog ? logSurface : at.surface, labels: false }, take)
      }
      return
    }
    default:
  }
  for (const child of childrenOf(node)) walk(child, inherits(node) ? at : { ...at, labels: false }, take)
}

/** A value that a choice leads to: `label: a ? 'Stop' : 'Start'`. */
const inherits = (node: Node) =>
  /^(?:ConditionalExpression|LogicalExpression|JSXExpressionContainer|ParenthesizedExpression|TSAsExpression|TSSatisfiesExpression|ArrowFunctionExpression)$/.test(
    node.type,
  )

const holdsLabel = (at: At, name: string | undefined) =>
  name !== undefined && labelled.test(name) && at.surface !== logSurface

/** Text between tags is one sentence, with holes for other elements. */
function walkChildren(children: Node[], at: At, take: Take): void {
  let text = ''
  for (const child of children) {
    if (child.type === 'JSXText') text += String(child['value']).replaceAll(/\s*\n\s*/g, ' ')
    else {
      const expression = child['expression'] as Node | undefined
      if (expression?.type === 'JSXEmptyExpression') continue
      const inner = expression && isString(expression) && !holds(expression) ? joined(expression, []) : undefined
      text += inner ?? (child.type === 'JSXElement' && !inline(child) ? '\n' : '{…}')
      if (inner === undefined) walk(child, { ...at, labels: true }, take)
    }
  }
  for (const line of text.split('\n')) take(line.replaceAll(/\s+/g, ' '), { ...at, labels: true })
}

const inline = (node: Node) => {
  const name = keyOf((node['openingElement'] as Node)['name'] as Node) ?? ''
  return /^(?:b|i|em|strong|code|kbd|a|Link|time|span)$|Link$|Name$|Time$/.test(name)
}
const holds = (node: Node) => node.type === 'TemplateLiteral' && (node['expressions'] as Node[]).length > 0

const isString = (node: Node | null) =>
  (node?.type === 'Literal' && typeof node['value'] === 'string') || node?.type === 'TemplateLiteral'

/** A template or a sum of strings as one text; what fills its holes goes to `parts`. */
function joined(node: Node, parts: Node[]): string | undefined {
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined
  if (node.type === 'TemplateLiteral') {
    const holes = node['expressions'] as Node[]
    const quasis = node['quasis'] as { value: { cooked: string } }[]
    parts.push(...holes)
    return quasis.map(({ value }) => value.cooked).join('{…}')
  }
  if (node.type !== 'BinaryExpression' || node['operator'] !== '+') return undefined
  const sides = [node['left'] as Node, node['right'] as Node]
  const mine: Node[] = []
  const texts = sides.map((side) => joined(side, mine))
  if (texts.every((text) => text === undefined)) return undefined
  parts.push(...mine, ...sides.filter((_, index) => texts[index] === undefined))
  return texts.map((text) => text ?? '{…}').join('')
}

function keyOf(node: Node): string | undefined {
  if (node.type === 'Literal') return String(node['value'])
  return typeof node['name'] === 'string' ? node['name'] : undefined
}

function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
