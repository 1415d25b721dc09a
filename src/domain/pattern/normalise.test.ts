import { describe, expect, it } from 'vitest'
import { normaliseHost, normaliseProgram, normalisePrompt } from './normalise.ts'

describe('a normalised prompt', () => {
  it.each([
    ['Delete 3 tables? (yes/no)', 'Delete <n> tables? (yes/no)'],
    [
      'Need to get 1,234 kB/45.6 MB of archives. Continue? [Y/n]',
      'Need to get <size>/<size> of archives. Continue? [Y/n]',
    ],
    ["bob@web1.example.com's password: ", "<user>@<host>'s password:"],
    [
      "The authenticity of host 'web1 (10.0.0.7)' can't be established.\nED25519 key fingerprint is SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8.\nAre you sure you want to continue connecting (yes/no/[fingerprint])?",
      "The authenticity of host '<host> (<host>)' can't be established. ED25519 key fingerprint is <hash>. Are you sure you want to continue connecting (yes/no/[fingerprint])?",
    ],
    ['Overwrite /home/bob/notes.txt? (y/n)', 'Overwrite <path>? (y/n)'],
    ["rm: remove regular file '/tmp/My File.txt'? ", "rm: remove regular file '<path>'?"],
    ['replace src/lib/a.ts? [y]es, [n]o, [A]ll', 'replace <path>? [y]es, [n]o, [A]ll'],
    ['Save to C:\\Users\\bob\\x.txt? ', 'Save to <path>?'],
    ['Use ~/.config/app? [Y/n]', 'Use <path>? [Y/n]'],
    ['Reset to 1f3a9c2? [y/N]', 'Reset to <hash>? [y/N]'],
    ['Drop 6f1b0c1e-54a3-4f0e-9d53-1c0d8f2a7b11? ', 'Drop <uuid>?'],
    ['Upgrade from 1.2.3 to v2.0.0-rc.1? ', 'Upgrade from <version> to <version>?'],
    ['Restore the backup of 2030-01-02 03:04:05? ', 'Restore the backup of <date>?'],
    ['Restore the backup of Nov 14, 2025 at 10:30? ', 'Restore the backup of <date> at <time>?'],
    ['Connect to fe80::1%eth0? ', 'Connect to <host>?'],
    ['Open https://example.com/a?b=1. Continue? ', 'Open <url>. Continue?'],
    ['删除3个表吗？', '删除<n>个表吗？'],
    ['(3/7) Install it? [Y/n]', '(<n>/<n>) Install it? [Y/n]'],
    ['Port [8080]: ', 'Port [<n>]:'],
    ['\u001B[1mContinue?\u001B[0m  [Y/n]\t', 'Continue? [Y/n]'],
  ])('%j', (text, expected) => {
    expect(normalisePrompt(text)).toBe(expected)
    expect(normalisePrompt(expected), 'again').toBe(expected)
  })

  it.each([
    ['Delete 3 tables? (yes/no)', 'Restart services? (yes/no)'],
    ['Delete 3 tables? (yes/no)', 'Delete 3 users? (yes/no)'],
    ['Delete 3 tables? (yes/no)', 'Delete all tables? (yes/no)'],
    ['Delete 3 tables? (yes/no)', 'Delete 3 tables?'],
    ['Install Node.js? [Y/n]', 'Install Vue.js? [Y/n]'],
    ['Use python2? [Y/n]', 'Use python3? [Y/n]'],
    ['Format sda1? [y/N]', 'Format sdb1? [y/N]'],
    ['Choose [1-3]: ', 'Choose [1-5]: '],
    ['Deploy to staging? (y/n)', 'Deploy to production? (y/n)'],
    ['Continue? [Y/n]', 'Continue? [y/N]'],
    ['Merge feature/a? [y/n]', 'Merge feature/b? [y/n]'],
    ['(a)bort/(r)etry? ', '(a)bort/(i)gnore? '],
    ['¿Borrar la tabla? (s/n)', '¿Reiniciar el servicio? (s/n)'],
    ['テーブルを削除しますか？', 'サービスを再起動しますか？'],
  ])('distinguishes %j from %j', (one, other) => {
    expect(normalisePrompt(one)).not.toBe(normalisePrompt(other))
  })

  it('is the same for the same letters, composed or not', () => {
    expect(normalisePrompt('Löschen? (j/n)')).toBe(normalisePrompt('Lo\u0308schen? (j/n)'))
  })

  it.each([
    ['Yes / No', 'Yes / No'],
    ['[Y]es/[N]o/[A]ll', '[Y]es/[N]o/[A]ll'],
    ['(y)/n', '(y)/n'],
    ['abort/retry/fail?', 'abort/retry/fail?'],
    ['std::string or a::b?', 'std::string or a::b?'],
    ['Pick (1/2/3): ', 'Pick (1/2/3):'],
  ])('keeps the choices in %j', (text, expected) => {
    expect(normalisePrompt(text)).toBe(expected)
  })

  it('takes time in proportion to its length', () => {
    for (const piece of ['a-', '1.', '/a', 'a.', '1:', 'a@', '((', '~/', 'aA1-', '1,'])
      expect(normalisePrompt(piece.repeat(4096)).length, piece).toBeGreaterThan(0)
  }, 2000)
})

describe('programs and hosts', () => {
  it('are identified by their names', () => {
    expect(normaliseProgram('/usr/bin/apt')).toBe('apt')
    expect(normaliseProgram('-bash')).toBe('bash')
    expect(normaliseHost('bob@Web1.Example.com.')).toBe('web1.example.com')
  })
})
