import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Place } from './place.ts'

export type Turn = {
  shows: RegExp
  /** The input; if it is secret nobody may find it again. */
  words: string
  secret: boolean
  /** As a bracketed paste. Only with an attached keyboard. */
  pasted?: true
  /** Not waited for: typed as soon as the screen shows it. */
  atOnce?: true
  /** Key by key, as people type. */
  byHand?: true
}

export type SecretCase = { name: string; needs: readonly string[]; command: string[]; turns: Turn[]; proof: RegExp }

const random = () => randomBytes(8).toString('hex')
const program = fileURLToPath(new URL('./secrets-program.py', import.meta.url))

/** The required programs; each asks something harmless first, so that the search is known to work. */
export function secretCases({ account, env }: Place, refusing: string): SecretCase[] {
  const cases: SecretCase[] = []
  const add = (name: string, needs: string[], argv: string[], asks: RegExp, secret: string, proof: RegExp) =>
    cases.push({
      name,
      needs,
      command: ['bash', '-c', harmless, 'bash', ...argv],
      turns: [
        { shows: /Colour: $/, words: `colour-${random()}`, secret: false },
        { shows: asks, words: secret, secret: true },
      ],
      proof,
    })
  if (account) {
    add(
      'sudo',
      ['sudo', 'runuser'],
      ['runuser', '-u', account.name, '--', 'sudo', '-k', 'true'],
      /\[sudo\] password for .*: ?$/,
      account.password,
      /sudoers/,
    )
    if (env['PATH'])
      add('ssh', ['ssh'], ['ssh', 'locked', 'echo far side'], /password: ?$/, account.password, /far side/)
  }
  add(
    'mysql',
    ['mysql'],
    ['mysql', '--protocol=tcp', '-h127.0.0.1', '-P1', '-uroot', '-p'],
    /Enter password: ?$/,
    `my-${random()}`,
    /ERROR/,
  )
  add(
    'git',
    ['git'],
    ['git', '-c', 'credential.helper=', 'ls-remote', refusing.replace('//', '//somebody@')],
    /Password for .*: ?$/,
    `git-${random()}`,
    /Authentication failed|fatal/,
  )
  add(
    'getpass',
    ['python3'],
    ['python3', '-c', "import getpass; print('length', len(getpass.getpass('Passphrase: ')))"],
    /Passphrase: ?$/,
    `gét päss ${random()} 密碼`,
    /length \d+/,
  )
  add(
    'a prompt that shows it',
    ['python3'],
    ['python3', program, 'shown'],
    /Password: ?$/,
    `shown-${random()}`,
    /length/,
  )
  return cases
}

const harmless =
  'read -rp "Colour: " colour; echo "so be it"; sleep 0.2; "$@"; echo "ended: $?"; read -rp "Over: " over'

/** What only a keyboard can do. */
export function keyboardCases(): SecretCase[] {
  const own = (name: string, shows: RegExp, more: Partial<Turn> = {}): SecretCase => ({
    name,
    needs: ['python3'],
    command: ['bash', '-c', harmless, 'bash', 'python3', program, name.split(',')[0] ?? ''],
    turns: [
      { shows: /Colour: $/, words: `colour-${random()}`, secret: false },
      { shows, words: `${name.split(',')[0]} ${random()}`, secret: true, ...more },
    ],
    proof: /length \d+/,
  })
  return [
    own('pasted', /Password: /, { pasted: true }),
    own('early', /Password: /, { atOnce: true }),
    own('bullets', /Password: /),
    own('in its own row', /Zaklinadlo: /, { byHand: true }),
  ]
}
