import { describe, expect, it } from 'vitest'
import { Failure } from './failure.ts'
import { renderHelp } from './help.ts'
import { plain } from './output.ts'
import { parseCommandLine } from './parse.ts'
import { rootCommand } from './table.ts'
import type { CommandSpec } from './command.ts'

const parse = (...argv: string[]) => parseCommandLine(argv, rootCommand)
function refusal(...argv: string[]): Failure {
  try {
    parse(...argv)
  } catch (error) {
    if (error instanceof Failure) return error
  }
  throw new Error('it was taken')
}

describe('the command line', () => {
  it('reports how many words come before --', () => {
    expect(parse('run', '--name', 'x', '--', 'ls', '--json').invocation).toMatchObject({
      args: ['ls', '--json'],
      dashes: 0,
    })
    expect(parse('run', 'status').invocation.dashes).toBeUndefined()
  })

  it('accepts a role before or after the person, and a flag more than once', () => {
    for (const words of [
      ['machine', 'ann'],
      ['ann', 'machine'],
    ])
      expect(parse('roles', 'grant', ...words).invocation.args).toEqual(['ann', 'machine'])
    expect(parse('roles', 'grant', 'admin', 'admin').invocation.args).toEqual(['admin', 'admin'])
    const { flags } = parse('repos', 'access', 'shop', '--user', 'ann', '--user=ben').invocation
    expect(flags).toMatchObject({ user: ['ann', 'ben'], group: [], everyone: false })
  })

  it('leaves the arguments of another program alone', () => {
    const { invocation, common } = parse('ssh', '--name', 'x', '-p', '22', 'ann@web1', 'ls', '--json')
    expect(invocation).toMatchObject({ args: ['-p', '22', 'ann@web1', 'ls', '--json'], flags: { name: 'x' } })
    expect(common.json).toBe(false)
    expect(() => parse('ssh', '--nme', 'x', 'web1')).toThrow(/has no flag --nme/)
  })

  it('accepts flags before, between and after the words', () => {
    const parsed = parse('--json', 'sessions', '--home', '/data', 'pause', '1f0c', '--reason=not now')
    expect(parsed.path).toEqual(['sessions', 'pause'])
    expect(parsed.common).toMatchObject({ json: true, home: '/data', debug: false, config: undefined })
    expect(parsed.invocation).toEqual({ args: ['1f0c'], flags: { reason: 'not now' } })
  })

  it('runs the list if only the group is named', () => {
    const { path, invocation } = parse('sessions', '--limit', '5')
    expect(path).toEqual(['sessions'])
    expect(invocation.flags).toEqual({ archived: false, limit: 5, status: undefined, repo: undefined })
  })

  it('takes words after -- literally', () => {
    expect(parse('answer', '0199', 'reply', '--', '--json', '-x').invocation.args).toEqual([
      '0199',
      'reply',
      '--json',
      '-x',
    ])
  })

  it.each([
    [['sesions'], 'Unknown command "sesions".', 'Did you mean signalbox sessions?'],
    [['sessions', 'shw', 'x'], 'Unknown command "sessions shw".', 'Did you mean signalbox sessions show?'],
    [['events', 'dead-leters'], 'Unknown command "events dead-leters".', 'Did you mean signalbox events dead-letters?'],
    [['status', '--jsn'], 'signalbox status has no flag --jsn.', 'Did you mean --json?'],
    [['status', '-x'], 'signalbox status has no flag -x.', 'See: signalbox status --help'],
    [['sessions', '--limit', 'many'], '--limit must be a whole number from 1, not "many".', undefined],
    [['sessions', '--limit'], '--limit needs a value: --limit N', 'See: signalbox sessions --help'],
    [['status', '--json=yes'], '--json takes no value.', 'See: signalbox status --help'],
    [['asks', 'show'], 'ID is missing: signalbox asks show ID', 'See: signalbox asks show --help'],
    [['status', 'now'], 'Unexpected argument "now": signalbox status', 'See: signalbox status --help'],
    [['sessions', 'shw', '--help'], 'Unknown command "sessions shw".', 'Did you mean signalbox sessions show?'],
    [
      ['run', 'ls', '-la', 'src'],
      'signalbox run has no flag -la.',
      'To run a program in a terminal: signalbox run -- ls -la src',
    ],
    [
      ['sessions', '--status', 'active,pausd'],
      `Invalid --status "pausd".`,
      expect.stringMatching(/^Did you mean paused\? It takes created, active, /),
    ],
    [['roles', 'grant', 'ann', 'admn'], `Invalid role "admn".`, 'Did you mean admin? It takes owner, admin, machine.'],
    [['sessions', 'show', '--status', 'x', 'abcd'], 'signalbox sessions show has no flag --status.', expect.anything()],
  ])('refuses %j and says what to do', (argv, message, hint) => {
    const { exit, message: said, hint: advice } = refusal(...argv)
    expect({ exit, said, advice }).toEqual({ exit: 2, said: message, advice: hint })
  })

  it('does not print control sequences from a word', () => {
    expect(refusal('\u001b[2Jstatus').message).toBe('Unknown command "status".')
  })
})

describe('help', () => {
  const every = (command: CommandSpec, path: string[]): [string[], CommandSpec][] => [
    [path, command],
    ...command.children.flatMap((child) => every(child, [...path, child.name])),
  ]

  it.each(every(rootCommand, []))('of %j says what it is and gives examples that parse', (path, command) => {
    const text = renderHelp(command, path, plain)
    expect(text.split('\n')[0]).toContain(command.summary)
    expect(command.examples.length).toBeGreaterThanOrEqual(2)
    for (const example of command.examples) {
      const line = example
        .replace(/^source <\((.*)\)$/, '$1')
        .replace(/ [|>] .*$/, '')
        .replace(/^sudo /, '')
      const words = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []
      expect(words[0]).toBe('signalbox')
      const rest = words.slice(1).filter((word) => word !== '--version')
      expect(() => parse(...(rest[0] === 'help' ? rest.slice(1, 2).concat('--help') : rest))).not.toThrow()
    }
  })
})
