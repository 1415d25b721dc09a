import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readWords } from '../../src/domain/policy/command-words.ts'
import { shellLine } from '../../src/lib/shell-words.ts'
import { missingPrograms } from '../support/programs.ts'

const seed = 14
const wanted = 400
const programs = ['npm', 'git', 'ls']

/** Characters with a meaning for shells, and look-alikes. */
const pieces = [
  ...Array.from('abz019 /._-=:,+@%~^*?[]{}!#$&|;<>()`"\'\\\t\n'),
  '  ',
  "''",
  '""',
  "'a b'",
  '"a b"',
  '"$HOME"',
  "$'a\\nb'",
  '$HOME',
  '${HOME}',
  '$(id)',
  '`id`',
  '{a,b}',
  '~root',
  '!!',
  '!$',
  '#x',
  '<<EOF',
  '<(id)',
  '2>x',
  '&&id',
  '||id',
  ';id',
  '\\ ',
  '\\$',
  '--',
  '-rf',
  'a=b',
  '=ls',
  '\u00a0',
  '\u2003',
  '\u200b',
  '\u202e',
  'é',
  '＄',
  '；',
  '\r',
]

const line = fc
  .tuple(fc.constantFrom(...programs), fc.array(fc.constantFrom(...pieces), { maxLength: 9 }))
  .map(([program, rest]) => `${program} ${rest.join('')}`)

/** Only lines whose words mean the same in every shell: others match only if they are written identically. */
function judgedPlain(text: string): string[] | null {
  const words = readWords(text)
  return words?.every(({ plain }) => plain) ? words.map((word) => word.text) : null
}

/** Runs each line in a shell, in a sandbox where every program records its arguments, and returns them. */
function ran(shell: string, lines: readonly string[]): (string[][] | string)[] {
  const folder = mkdtempSync(join(tmpdir(), 'sbsh-'))
  try {
    for (const name of ['bin', 'lines', 'out', 'work']) mkdirSync(join(folder, name))
    for (const program of programs) {
      const note = `#!/bin/sh\n{ printf '%s\\0' "\${0##*/}" "$@"; printf '\\0\\0'; } >> "$NOTES"\n`
      writeFileSync(join(folder, 'bin', program), note)
      chmodSync(join(folder, 'bin', program), 0o755)
    }
    const driver = [
      `cd ${folder}/work`,
      `for f in ${folder}/lines/*; do`,
      '  text=$(cat "$f"; echo x); text=${text%x}',
      `  text=\${text%?}`,
      `  NOTES=${folder}/out/\${f##*/} PATH=${folder}/bin ${shell} -c "$text" </dev/null >/dev/null 2>&1`,
      'done; true',
    ].join('\n')
    // Each line gets its own newline: a substitution would remove those of the line.
    for (const [at, text] of lines.entries()) writeFileSync(join(folder, 'lines', String(at)), `${text}\n`)
    execFileSync(
      'bwrap',
      [
        '--unshare-all',
        '--die-with-parent',
        '--ro-bind',
        '/',
        '/',
        '--dev',
        '/dev',
        '--tmpfs',
        '/tmp',
        '--tmpfs',
        '/root',
        '--bind',
        folder,
        folder,
        '--clearenv',
        '--setenv',
        'PATH',
        process.env['PATH'] ?? '',
        '--setenv',
        'LC_ALL',
        'C.UTF-8',
        '--',
        '/bin/sh',
        '-c',
        driver,
      ],
      { timeout: 100_000 },
    )
    const left = readdirSync(join(folder, 'work'))
    return lines.map((_, at) => {
      const file = join(folder, 'out', String(at))
      if (left.length > 0) return `files were made: ${left.join(' ')}`
      if (!existsSync(file)) return 'nothing was run'
      return readFileSync(file, 'utf8')
        .split('\0\0\0')
        .slice(0, -1)
        .map((words) => words.split('\0'))
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it(`S8 what the policy reads as one plain command runs as exactly that, in sh and bash (seed ${seed})`, (context) => {
  const missing = missingPrograms(['bwrap', 'bash'])
  if (missing.length > 0) context.skip(`not installed: ${missing.join(', ')}`)
  const lines = new Map<string, string[]>()
  let generated = 0
  for (const text of fc.sample(line, { seed, numRuns: 60_000 })) {
    if (lines.size >= wanted) break
    generated += 1
    const words = judgedPlain(text)
    if (words && words.length > 1) lines.set(text, words)
  }
  // The same for lines that we write for any words, which are shown to people.
  for (const words of fc.sample(
    fc.array(fc.constantFrom(...pieces.filter((piece) => piece !== '\n')), { minLength: 1, maxLength: 4 }),
    { seed, numRuns: 60 },
  )) {
    const text = shellLine(['npm', ...words])
    expect(judgedPlain(text) ?? ['npm', ...words]).toEqual(['npm', ...words])
  }
  console.log(`shell lines (seed ${seed}): ${lines.size} plain ones of ${generated}`)
  expect(lines.size).toBeGreaterThan(wanted / 2)
  for (const shell of ['/bin/sh', '/bin/bash --norc', '/bin/bash --norc --posix']) {
    const noted = ran(shell, [...lines.keys()])
    const wrong = [...lines].flatMap(([text, words], at) =>
      JSON.stringify(noted[at]) === JSON.stringify([words]) ? [] : [{ shell, text, words, noted: noted[at] }],
    )
    expect(wrong).toEqual([])
  }
})
