const byEnding: Readonly<Record<string, string>> = {
  bash: 'bash',
  c: 'c',
  cc: 'cpp',
  cjs: 'javascript',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  cts: 'typescript',
  go: 'go',
  gql: 'graphql',
  graphql: 'graphql',
  h: 'cpp',
  hpp: 'cpp',
  htm: 'xml',
  html: 'xml',
  ini: 'ini',
  java: 'java',
  js: 'javascript',
  json: 'json',
  json5: 'json',
  jsonc: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  kts: 'kotlin',
  less: 'less',
  lua: 'lua',
  m: 'objectivec',
  md: 'markdown',
  mdx: 'markdown',
  mjs: 'javascript',
  mk: 'makefile',
  mts: 'typescript',
  patch: 'diff',
  diff: 'diff',
  php: 'php',
  py: 'python',
  pyi: 'python',
  pl: 'perl',
  r: 'r',
  rb: 'ruby',
  rs: 'rust',
  scss: 'scss',
  sh: 'bash',
  sql: 'sql',
  svg: 'xml',
  svelte: 'xml',
  swift: 'swift',
  toml: 'ini',
  ts: 'typescript',
  tsx: 'typescript',
  vue: 'xml',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
  zsh: 'bash',
}

const byName: Readonly<Record<string, string>> = {
  gemfile: 'ruby',
  makefile: 'makefile',
  rakefile: 'ruby',
}

/** The language to highlight a file as; null for plain text. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = name.slice(name.lastIndexOf('.') + 1)
  return own(byName, name.split('.', 1)[0] ?? '') ?? (name.includes('.') ? own(byEnding, ending) : null)
}

const own = (table: Readonly<Record<string, string>>, key: string): string | null =>
  Object.hasOwn(table, key) ? (table[key] ?? null) : null
