import { describe, expect, it } from 'vitest'
import { createMasker, prepareMasks } from './masker.ts'
import { builtInMasks } from './masks.ts'
import { randomChunks } from './random-chunks.ts'

const masks = prepareMasks(builtInMasks)

function masked(text: string): string {
  const masker = createMasker(masks)
  return masker.push(Buffer.from(text)).toString() + masker.flush().toString()
}

const stars = (count: number) => '*'.repeat(count)
const pem = (body: string) => `-----BEGIN RSA PRIVATE KEY-----\r\n${body}-----END RSA PRIVATE KEY-----\r\nafter it\r\n`

describe('masks', () => {
  it.each([
    ['AKIAIOSFODNN7EXAMPLE', `AKIA${stars(16)}`],
    [`ghp_${'a1B2'.repeat(9)}`, `ghp_${stars(36)}`],
    [`github_pat_${'a1B2_'.repeat(9)}`, `github_pat_${stars(45)}`],
    [`glpat-${'x'.repeat(20)} next`, `glpat-${stars(20)} next`],
    ['xoxb-1234567890-abcdef', `xoxb-${stars(17)}`],
    ['sk-ant-api03-abcdefghijklmnop', `sk-ant-${stars(22)}`],
    [`sk-${'aB3d'.repeat(12)}`, `sk-${stars(48)}`],
    [`npm_${'a1B2'.repeat(9)}`, `npm_${stars(36)}`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', `eyJ${stars(38)}`],
    ['Authorization: Bearer abcdefgh12345678', `Authorization: Bearer ${stars(16)}`],
    ['authorization: basic dXNlcjpwdw==', `authorization: basic ${stars(12)}`],
    ['postgres://app:hunter2@db/x', `postgres://app:${stars(7)}@db/x`],
    ['redis://:p%40ss@localhost', `redis://:${stars(6)}@localhost`],
    ['DB_PASSWORD=hunter2 next', `DB_PASSWORD=${stars(7)} next`],
    ["password = 'two words' next", `password = '${stars(9)}' next`],
    ['{"api_key": "abc", "n": 1}', `{"api_key": "${stars(3)}", "n": 1}`],
    [String.raw`{\"token\":\"abc\"}`, String.raw`{\"token\":\"***\"}`],
    ['?user=a&token=abc&page=2', '?user=a&token=***&page=2'],
    ['x-api-key: a1b2c3d4e5', `x-api-key: ${stars(10)}`],
    ['client_secret: s3cretvalue', `client_secret: ${stars(11)}`],
    ['mysql --password s3cret99 db', `mysql --password ${stars(8)} db`],
  ])('hide the secret in %s', (given, wanted) => {
    expect(masked(given)).toBe(wanted)
    expect(masked(`before ${given}\r\nafter`)).toBe(`before ${wanted}\r\nafter`)
  })

  it.each([
    'Password: ',
    '[sudo] password for bob: ',
    'Enter passphrase for key /home/bob/.ssh/id_rsa: ',
    'Password: expired, choose another one',
    'tokens: 1234, max_tokens=4096, tokenizer=fast',
    'PWD=/home/bob OLDPWD=/tmp',
    'http://localhost:8080/path?q=1 and http://[::1]:80/',
    'password=${PASSWORD} token=<your token> secret=[hidden] api_key=$KEY',
    'if (password == null) return',
    'usage: login --password PASSWORD [--token TOKEN]',
    'the task-force-of-nature-1234567890123456 and a risk-free-2024-offer',
    'Basic authentication is bearer authentication for short',
    'eyJust kidding, AKIA is an acronym',
  ])('leave %s as it is', (text) => {
    expect(masked(text)).toBe(text)
  })

  it('see through colours inside a token, and keep them', () => {
    expect(masked(`gh\x1b[1;31mp_abcd\x1b[mef${'gh12'.repeat(5)} z`)).toBe(`gh\x1b[1;31mp_****\x1b[m**${stars(20)} z`)
  })

  it('cover titles and links', () => {
    expect(masked('\x1b]8;;https://bob:hunter2@host/\x1b\\here\x1b]8;;\x1b\\')).toBe(
      '\x1b]8;;https://bob:*******@host/\x1b\\here\x1b]8;;\x1b\\',
    )
  })

  it('hide the lines of a private key, up to its end and no further', () => {
    expect(masked(pem('MIIEpAIBAAKCAQEA0Z3VS5JJcds\r\nab==\r\n'))).toBe(pem(`${stars(27)}\r\n****\r\n`))
  })

  it('hide a private key that is numbered, indented or on one line', () => {
    expect(masked('-----BEGIN PRIVATE KEY-----\n  2  MIIEpAIBAAKCAQEA0Z3VS5\n')).not.toContain('MIIE')
    expect(masked(String.raw`-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5\n-----END`)).not.toContain('pAIB')
  })

  it('return to ordinary text if a key was only mentioned', () => {
    const told = 'files with -----BEGIN PRIVATE KEY----- are refused\na b\nc d\ne f\nabcdefghijklmnopqrstuvwxyz\n'
    expect(masked(told)).toBe(told)
  })

  it('hide the start of a token that is typed slowly', () => {
    const masker = createMasker(masks)
    const shown = Array.from('ghp_abcdef').map(
      (key) => masker.push(Buffer.from(key)).toString() + masker.flush().toString(),
    )
    expect(shown.join('')).toBe('ghp_******')
  })

  it('hold back nothing of a prompt, and at most 4 KB of what looks like a token', () => {
    const masker = createMasker(masks)
    expect(masker.push(Buffer.from('Password: ')).toString()).toBe('Password: ')
    expect(masker.held).toBe(0)
    masker.push(Buffer.from('\nsk-'))
    for (let i = 0; i < 1000; i++) masker.push(Buffer.from('\x1b[31m\x1b[0m'))
    masker.push(Buffer.from('a'))
    for (let i = 0; i < 1000; i++) {
      masker.push(Buffer.from('\x1b[31m\x1b[0m'))
      expect(masker.held).toBeLessThanOrEqual(4200)
    }
  })

  it('give the same text however it is cut', () => {
    const parts = [
      'Password: \r\n',
      'token=ghp_abcdefghijklmnopqrstuvwxyz0123456789\r\n',
      'https://bob:hunter2@host:8080/x http://h:80 ',
      '\x1b[31mgl\x1b[0mpat-abcdefghij\x1b[1mklmnopqrst\x1b[0m, ',
      pem('MIIEpAIBAAKCAQEA0Z3VS5JJcds\r\nab==\r\n'),
      String.raw`{"password": "a b", \"secret\":\"x\", token: a1b2c3d4e5, secret=\x} `,
      '--password s3cret99 bearer abcdefghij123456 eyJhbGciOiJIUzI1NiJ9.e30 password=$ECRET password=$x ',
      'sk-abcdefghij0123456789 sk-learn plain words and ünïcödé 漢字\n',
      '\x1b]0;token=abc\x07',
    ]
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomChunks(seed)
      const text = Array.from({ length: 12 }, () => parts[random.below(parts.length)]).join('')
      const whole = masked(text)
      const masker = createMasker(masks)
      const pieces = random.cut(Buffer.from(text)).map((piece) => masker.push(piece).toString('latin1'))
      pieces.push(masker.flush().toString('latin1'))
      expect(Buffer.from(pieces.join(''), 'latin1').toString(), `seed ${seed}`).toBe(whole)
      expect(Buffer.byteLength(whole)).toBe(Buffer.byteLength(text))
      expect(whole).not.toMatch(/hunter2|s3cret99|MIIEpAIB/)
    }
  })
})
