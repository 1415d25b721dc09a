import { describe, expect, it } from 'vitest'
import { splitCommand } from './command-line.ts'

describe('a command line', () => {
  it.each([
    ['npm init', ['npm', 'init']],
    ['  ls   -la\t/srv ', ['ls', '-la', '/srv']],
    [`git commit -m 'a  b'`, ['git', 'commit', '-m', 'a  b']],
    [`echo "it's" ''`, ['echo', "it's", '']],
    [`echo "a \\"b\\" \\n"`, ['echo', 'a "b" \\n']],
    [`echo a\\ b`, ['echo', 'a b']],
    [`--name='x y'z`, ['--name=x yz']],
    ['', []],
  ])('%s', (line, words) => expect(splitCommand(line)).toMatchObject({ words, error: null }))

  it.each([
    [`echo 'a`, "A ' is not closed."],
    [`echo "a`, 'A " is not closed.'],
    ['echo a\\', 'It ends with a backslash.'],
  ])('%s is incomplete', (line, error) => expect(splitCommand(line).error).toBe(error))

  it.each([
    ['ls | wc', ['|']],
    ['make && make install', ['&']],
    ['cat < a > b', ['< or >']],
    ['echo "$HOME"', ['$ or `']],
    ['rm *.log', ['* or ?']],
    ['ls ~/x', ['~']],
    [`echo '$HOME | *' a=b~`, []],
  ])('%s needs a shell for %o', (line, shell) => expect(splitCommand(line).shell).toEqual(shell))
})
