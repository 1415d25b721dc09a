import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import { sh, type Case, type Moment, type Spot } from '../case.ts'

const secret = (shows: RegExp, more: Partial<Moment> = {}): Moment => ({
  shows,
  is: 'waiting',
  type: 'password',
  secret: true,
  ...more,
})

/** As a user other than root. */
const as = ({ account }: Spot, ...argv: string[]) => ['runuser', '-u', account.name, '--', ...argv]

export const secrets: Case[] = [
  {
    name: 'sudo, a password; wrong, and once more',
    program: 'sudo',
    account: true,
    command: (spot) => as(spot, 'sudo', '-k', 'id'),
    moments: [secret(/\[sudo\] password for/, { line: 'not-this' }), secret(/try again[^]*\[sudo\] password for/)],
  },
  {
    name: 'su, a password',
    program: 'su',
    account: true,
    command: (spot) => as(spot, 'su', '-c', 'echo done-42; sleep 30', spot.account.name),
    moments: [secret(/Password:/, { line: '<password>' }), { shows: /^done-42/m, is: 'working' }],
  },
  {
    name: 'passwd, the present password',
    program: 'passwd',
    account: true,
    command: (spot) => as(spot, 'passwd'),
    moments: [secret(/Current password:/, { line: '<password>' }), secret(/New password:/)],
  },
  {
    name: 'chsh, a password',
    program: 'chsh',
    account: true,
    command: (spot) => as(spot, 'chsh', '-s', '/bin/sh'),
    moments: [secret(/Password:/)],
  },
  {
    name: 'ssh-keygen, a passphrase twice',
    program: 'ssh-keygen',
    command: () => ['ssh-keygen', '-t', 'ed25519', '-f', 'new-key'],
    moments: [
      secret(/Enter passphrase/, { line: 'hunter2hunter2' }),
      secret(/same passphrase again/, { line: 'hunter2hunter2' }),
      { shows: /randomart/, is: 'exited' },
    ],
  },
  {
    name: 'ssh-keygen, over a key that is there',
    program: 'ssh-keygen',
    command: () => ['ssh-keygen', '-t', 'ed25519', '-N', '', '-f', 'a.txt'],
    moments: [
      { shows: /Overwrite/, is: 'waiting', type: 'yes_no', secret: false, line: 'n' },
      { shows: /Overwrite/, is: 'exited' },
    ],
  },
  {
    name: 'openssl, a password to encrypt with',
    program: 'openssl',
    command: () => ['openssl', 'enc', '-aes-256-cbc', '-pbkdf2', '-in', 'a.txt', '-out', 'a.enc'],
    moments: [secret(/encryption password:/, { line: 'hunter2' }), secret(/Verifying/, {})],
  },
  {
    name: 'openssl, the names of a request',
    program: 'openssl',
    command: () => ['openssl', 'req', '-new', '-newkey', 'ed25519', '-nodes', '-keyout', 'k.pem', '-out', 'r.pem'],
    moments: [
      { shows: /Country Name/, is: 'waiting', type: 'text', secret: false, line: 'DE' },
      { shows: /State or Province/, is: 'waiting', type: 'text', secret: false },
    ],
  },
  {
    name: 'gpg, a passphrase',
    program: 'gpg',
    command: () => ['gpg', '--pinentry-mode', 'loopback', '--no-symkey-cache', '-c', 'a.txt'],
    moments: [secret(/Enter passphrase:/)],
  },
  {
    name: 'gpg, which kind of key',
    program: 'gpg',
    command: () => ['gpg', '--full-generate-key'],
    moments: [{ shows: /Your selection\?/, is: 'waiting', type: ['choice', 'text'], secret: false }],
  },
  {
    name: 'python3, getpass',
    program: 'python3',
    command: () => [
      'python3',
      '-c',
      'import getpass, time; getpass.getpass("Token: "); print("done-42", flush=True); time.sleep(30)',
    ],
    moments: [secret(/Token:/, { line: 'hunter2' }), { shows: /^done-42/m, is: 'working' }],
  },
  {
    name: 'node, a password it hides itself',
    program: 'node',
    raw: true,
    command: () => [
      process.execPath,
      '-e',
      `process.stdin.setRawMode(true); process.stdout.write('? Password: ')
       process.stdin.on('data', (d) => { if (String(d).includes('\\r')) { console.log('\\ndone-42'); process.stdin.setRawMode(false); process.stdin.destroy(); setTimeout(() => {}, 30000) } else process.stdout.write('*'.repeat(d.length)) })`,
    ],
    moments: [secret(/Password:/, { line: 'hunter2' }), { shows: /^done-42/m, is: 'working' }],
  },
  {
    name: 'zip, a password for an archive',
    program: 'zip',
    command: () => ['zip', '-e', 'a.zip', 'a.txt'],
    moments: [secret(/Enter password:/, { line: 'hunter2' }), secret(/Verify password:/)],
  },
  {
    name: 'unzip, the password of an archive',
    program: 'unzip',
    needs: ['zip'],
    prepare: ({ cwd }) => void execFileSync('zip', ['-qP', 'x', 'locked.zip', 'a.txt'], { cwd }),
    command: () => ['unzip', '-d', 'out', 'locked.zip'],
    moments: [secret(/password:/)],
  },
  {
    name: 'mysql, a password',
    program: 'mysql',
    command: () => ['mysql', '-u', 'nobody', '-h', '127.0.0.1', '-P', '1', '-p'],
    moments: [secret(/Enter password:/, { line: 'hunter2' }), { shows: /ERROR/, is: 'exited' }],
  },
  {
    name: 'psql, a password',
    program: 'psql',
    command: () => ['psql', '-W', '-U', 'nobody', '-h', '127.0.0.1', '-p', '1', 'none'],
    moments: [secret(/Password/, { line: 'hunter2' }), { shows: /psql: error/, is: 'exited' }],
  },
  {
    name: 'curl, the password of somebody',
    program: 'curl',
    command: ({ place }) => ['curl', '-sN', '-u', 'ann', place.slow],
    moments: [secret(/Enter host password/, { line: 'hunter2' }), { shows: /xxxx/, is: 'working' }],
  },
  {
    name: 'wget, the password of somebody',
    program: 'wget',
    command: ({ place }) => ['wget', '--user', 'ann', '--ask-password', '-O', 'out', place.slow],
    moments: [secret(/Password for user/, { line: 'hunter2' }), { shows: /out/, is: 'working' }],
  },
  {
    name: 'git, a name and then a password',
    program: 'git',
    prepare: ({ cwd }) => writeFileSync(join(cwd, 'asked'), 'protocol=https\nhost=example.com\n\n'),
    command: sh('git credential fill < asked; sleep 30'),
    moments: [
      { shows: /Username for/, is: 'waiting', type: 'text', secret: false, line: 'ann' },
      secret(/Password for/, { line: 'hunter2' }),
      { shows: /password=/, is: 'working' },
    ],
  },
]
