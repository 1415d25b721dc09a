import { describe, expect, it } from 'vitest'
import { importsOf } from './imports.ts'

const at = (source: string) => importsOf(source).map(({ specifier, later }) => [specifier, later])

describe('importsOf', () => {
  it.each([
    ["import { a } from './a.ts'", './a.ts'],
    ["import {\n  a,\n  type B,\n} from './a.ts'", './a.ts'],
    ["import type { A } from './a.ts'", './a.ts'],
    ["import * as a from './a.ts'", './a.ts'],
    ["import a, { b } from './a.ts'", './a.ts'],
    ["import './a.ts'", './a.ts'],
    ["export { a } from './a.ts'", './a.ts'],
    ["export type * from './a.ts'", './a.ts'],
    ["export * as a from './a.ts'", './a.ts'],
  ])('sees %j', (source, specifier) => {
    expect(at(source)).toEqual([[specifier, false]])
  })

  it('sees dynamic imports, and imports in types', () => {
    expect(at("const { a } = await import('./a.ts')\ntype B = import('./b.ts').B")).toEqual([
      ['./a.ts', true],
      ['./b.ts', true],
    ])
  })

  it('has no specifier for a computed name', () => {
    expect(at('await import(name)')).toEqual([[undefined, true]])
  })

  it('does not mistake comments and other exports for imports', () => {
    expect(at("// import { a } from './a.ts'\nexport const from = 'x'\nexport type A = { b: 'c' }")).toEqual([])
  })
})
