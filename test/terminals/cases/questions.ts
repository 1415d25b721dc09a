import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sh, type Case } from '../case.ts'
import { withGit } from '../place.ts'

/** Tools that ask before they act. */
export const questions: Case[] = [
  {
    name: 'rm, whether to remove',
    program: 'rm',
    command: sh('rm -i a.txt b.txt; sleep 30'),
    moments: [
      { shows: /a\.txt'\?/, is: 'waiting', type: 'yes_no', line: 'n' },
      { shows: /b\.txt'\?/, is: 'waiting', type: 'yes_no', line: 'n' },
    ],
  },
  {
    name: 'cp, whether to overwrite',
    program: 'cp',
    command: sh('cp -i a.txt b.txt; echo done-42; sleep 30'),
    moments: [
      { shows: /overwrite/, is: 'waiting', type: 'yes_no', line: 'n' },
      { shows: /^done-42/m, is: 'working' },
    ],
  },
  {
    name: 'mv, whether to overwrite',
    program: 'mv',
    command: () => ['mv', '-i', 'a.txt', 'b.txt'],
    moments: [
      { shows: /overwrite/, is: 'waiting', type: 'yes_no', line: 'n' },
      { shows: /overwrite/, is: 'exited' },
    ],
  },
  {
    name: 'ln, whether to replace',
    program: 'ln',
    command: () => ['ln', '-i', '-s', 'a.txt', 'b.txt'],
    moments: [{ shows: /replace/, is: 'waiting', type: 'yes_no' }],
  },
  {
    name: 'find, whether to do it',
    program: 'find',
    command: () => ['find', '.', '-name', 'a.txt', '-ok', 'sleep', '30', ';'],
    moments: [
      { shows: /\?/, is: 'waiting', type: 'yes_no', line: 'y' },
      { shows: /\? y/, is: 'working' },
    ],
  },
  {
    name: 'gzip, whether to overwrite',
    program: 'gzip',
    prepare: ({ cwd }) => writeFileSync(join(cwd, 'a.txt.gz'), ''),
    command: () => ['gzip', 'a.txt'],
    moments: [{ shows: /overwrite/, is: 'waiting', type: 'yes_no' }],
  },
  {
    name: 'tar, file by file',
    program: 'tar',
    prepare: ({ cwd }) => void execFileSync('tar', ['-cf', 'all.tar', 'a.txt', 'b.txt'], { cwd }),
    command: () => ['tar', '-xwf', 'all.tar'],
    moments: [
      { shows: /a\.txt.\?/, is: 'waiting', line: 'y' },
      { shows: /b\.txt.\?/, is: 'waiting' },
    ],
  },
  {
    name: 'unzip, over a file that is there',
    program: 'unzip',
    needs: ['zip'],
    prepare: ({ cwd }) => void execFileSync('zip', ['-q', 'a.zip', 'a.txt'], { cwd }),
    command: () => ['unzip', 'a.zip'],
    moments: [{ shows: /replace a\.txt\?/, is: 'waiting', type: ['choice', 'yes_no'] }],
  },
  {
    name: 'patch, which file',
    program: 'patch',
    command: () => ['patch', '-p0', '-i', 'change.diff'],
    moments: [
      { shows: /File to patch:/, is: 'waiting', type: 'path', line: '' },
      { shows: /Skip this patch\?/, is: 'waiting', type: 'yes_no' },
    ],
  },
  {
    name: 'mke2fs, over what is there',
    program: 'mke2fs',
    prepare: ({ cwd }) => void execFileSync('mke2fs', ['-q', '-F', 'disk', '1M'], { cwd, stdio: 'ignore' }),
    command: () => ['mke2fs', 'disk'],
    moments: [{ shows: /Proceed anyway\?/, is: 'waiting', type: 'yes_no' }],
  },
  {
    name: 'git, which parts to add',
    program: 'git',
    prepare: ({ cwd }) => void withGit(cwd),
    command: () => ['git', 'add', '-p'],
    moments: [{ shows: /Stage this hunk/, is: 'waiting', type: ['choice', 'yes_no'] }],
  },
  {
    name: 'git, what to clean',
    program: 'git',
    prepare: ({ cwd }) => void withGit(cwd),
    command: () => ['git', 'clean', '-id'],
    moments: [{ shows: /What now>/, is: 'waiting', type: ['choice', 'command'] }],
  },
  {
    name: 'npm, a new package',
    program: 'npm',
    command: () => ['npm', 'init'],
    moments: [
      { shows: /package name:/, is: 'waiting', type: 'text', line: 'demo' },
      { shows: /version:/, is: 'waiting', type: 'text' },
    ],
  },
  {
    name: 'chfn, a name',
    program: 'chfn',
    account: true,
    command: ({ account }) => ['chfn', account.name],
    moments: [{ shows: /Full Name/, is: 'waiting', type: 'text' }],
  },
  {
    name: 'chage, the age of a password',
    program: 'chage',
    account: true,
    command: ({ account }) => ['chage', account.name],
    moments: [
      { shows: /Minimum Password Age/, is: 'waiting', type: 'text', secret: false, line: '' },
      { shows: /Maximum Password Age/, is: 'waiting', type: 'text', secret: false },
    ],
  },
]
