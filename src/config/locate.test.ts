import { describe, expect, it } from 'vitest'
import { locate } from './locate.ts'

const document = `# comment with [brackets] and key = value
top = 1
"quoted.key" = 2 # trailing
'literal' = '#'
a.b.c = 3

[timeouts] # a table
approval_seconds = 4
note = """
[not.a.table]
not_a_key = 1 \\"""
"""
raw = '''
also = "nothing"
'''
after = 5

[[workspace]]
id = "one"

[[workspace]]
id = "two"
[workspace.more]
deep = true

[ commands . "x y" ]
command = "z"

[lists]
ids = [ # comment, with a comma
  "a]",
  "b",
  { k = 1, l = [1,
    2] },
]
inline = { first = 1, second = "}" }
"esc\\u0061ped" = 1
`

const lineOf = (wanted: string): number => document.split('\n').findIndex((line) => line.includes(wanted)) + 1

describe('the line of a key', () => {
  const line = locate(document)

  it.each([
    [['top'], 'top = 1'],
    [['quoted.key'], '"quoted.key"'],
    [['literal'], "'literal'"],
    [['a', 'b', 'c'], 'a.b.c'],
    [['a'], 'a.b.c'],
    [['timeouts'], '[timeouts]'],
    [['timeouts', 'approval_seconds'], 'approval_seconds'],
    [['timeouts', 'after'], 'after = 5'],
    [['workspace'], '[[workspace]]'],
    [['workspace', 0], '[[workspace]]'],
    [['workspace', 0, 'id'], 'id = "one"'],
    [['workspace', 1, 'id'], 'id = "two"'],
    [['workspace', 1, 'more', 'deep'], 'deep = true'],
    [['commands', 'x y', 'command'], 'command = "z"'],
    [['lists', 'ids'], 'ids = ['],
    [['lists', 'ids', 0], '"a]"'],
    [['lists', 'ids', 1], '"b"'],
    [['lists', 'ids', 2, 'k'], '{ k = 1'],
    [['lists', 'inline', 'second'], 'inline ='],
    [['lists', 'escaped'], 'esc'],
  ])('of %j is found', (path, text) => {
    expect(line(path)).toBe(lineOf(text))
  })

  it('ignores what only looks like a key inside strings', () => {
    expect(line(['not'])).toBeUndefined()
    expect(line(['timeouts', 'not_a_key'])).toBe(lineOf('[timeouts]'))
  })

  it('of something missing in a table is the line of the table', () => {
    expect(line(['workspace', 1, 'path'])).toBe(lineOf('id = "two"') - 1)
  })

  it('is the same with CRLF', () => {
    const crlf = locate(document.replaceAll('\n', '\r\n'))
    expect(crlf(['timeouts', 'after'])).toBe(lineOf('after = 5'))
    expect(crlf(['lists', 'ids', 1])).toBe(lineOf('"b"'))
  })

  it('is found after strings that end in quotes', () => {
    const line = locate('a = """x"""""\nb = \'\'\'y\'\'\'\'\nc = ""\nd = \'\'\ne = 1')
    expect([line(['b']), line(['c']), line(['d']), line(['e'])]).toEqual([2, 3, 4, 5])
  })

  it('is found in an unfinished document', () => {
    for (const text of ['a', 'a =', 'a = [', 'a = {', 'a = "', '[', '[[', '[a', '"""', '=', ']', '}', ',']) {
      expect(locate(text)(['nothing'])).toBeUndefined()
    }
  })
})
