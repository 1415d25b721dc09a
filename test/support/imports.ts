/** `later` marks `import('…')` rather than a statement; a computed name has no specifier. */
export type Import = { specifier: string | undefined; later: boolean }

const names = String.raw`(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:[\w$]+|\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})`
const statement = new RegExp(String.raw`^(?:import|export)\s+(?:${names}\s+from\s+)?(['"])([^'"]+)\1`, 'gm')
const call = /\bimport\(\s*(?:(['"])([^'"]+)\1|[^\s'"])/g

/** All imports of a TypeScript source, including types. Statements start a line, as the formatter leaves them. */
export function importsOf(source: string): Import[] {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  return [
    ...[...code.matchAll(statement)].map(([, , specifier]) => ({ specifier, later: false })),
    ...[...code.matchAll(call)].map(([, , specifier]) => ({ specifier, later: true })),
  ]
}
