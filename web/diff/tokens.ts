import type { createLowlight } from 'lowlight'
import type { SyntaxToken } from './line-pieces.ts'

type Tree = ReturnType<ReturnType<typeof createLowlight>['highlight']>

/** Token kinds that have a colour, by the highlighter's names. */
const kinds: Readonly<Record<string, string>> = {
  addition: 'string',
  attr: 'name',
  attribute: 'name',
  built_in: 'type',
  bullet: 'keyword',
  char: 'string',
  class: 'type',
  code: 'string',
  comment: 'comment',
  deletion: 'number',
  doctag: 'comment',
  function: 'title',
  keyword: 'keyword',
  link: 'string',
  literal: 'number',
  meta: 'keyword',
  name: 'keyword',
  number: 'number',
  property: 'name',
  quote: 'comment',
  regexp: 'string',
  section: 'title',
  selector: 'title',
  string: 'string',
  symbol: 'number',
  tag: 'plain',
  'template-variable': 'name',
  title: 'title',
  type: 'type',
  variable: 'name',
}

/** The tokens of each line of a highlighted text. */
export function tokensByLine(tree: Tree): SyntaxToken[][] {
  const lines: SyntaxToken[][] = [[]]
  const add = (nodes: Tree['children'], kind: string): void => {
    for (const node of nodes) {
      if (node.type === 'element') add(node.children, kindOf(node.properties['className']) ?? kind)
      if (node.type !== 'text') continue
      for (const [index, part] of node.value.split('\n').entries()) {
        if (index > 0) lines.push([])
        if (part !== '') lines.at(-1)?.push([part.length, kind])
      }
    }
  }
  add(tree.children, '')
  return lines
}

function kindOf(className: unknown): string | undefined {
  const first: unknown = Array.isArray(className) ? className[0] : undefined
  if (typeof first !== 'string') return undefined
  const name = first.replace(/^hljs-/, '')
  const kind = kinds[name] ?? kinds[name.split('-', 1)[0] ?? '']
  return kind === 'plain' ? '' : kind
}
