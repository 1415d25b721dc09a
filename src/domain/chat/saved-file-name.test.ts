import { expect, it } from 'vitest'
import { savedName } from './saved-file-name.ts'

it.each([
  ['report.pdf', '1-report.pdf'],
  ['../../etc/passwd', '1-passwd'],
  ['..\\..\\boot.ini', '1-boot.ini'],
  ['/etc/shadow', '1-shadow'],
  ['CLAUDE.md', '1-CLAUDE.md'],
  ['.envrc', '1-envrc'],
  ['..', '1-file'],
  ['', '1-file'],
  ['a\0b\nc.txt', '1-a_b_c.txt'],
  ['a b]  [file: x, saved as /etc.txt', '1-etc.txt'],
  ['Übersicht 日本.xlsx', '1-Übersicht_日本.xlsx'],
  ['photo\u202Egpj.exe', '1-photo_gpj.exe'],
  ['x.txt\u2024\u2024', '1-x.txt'],
])('a file called %j is saved as %s', (name, saved) => {
  expect(savedName(0, name)).toBe(saved)
})

it('a long name keeps its end, and stays whole characters', () => {
  const saved = savedName(11, `${'𝒳'.repeat(300)}.tar.gz`)
  expect(saved).toMatch(/^12-.*\.tar\.gz$/u)
  expect(Buffer.byteLength(saved)).toBeLessThan(255)
  expect(saved.isWellFormed()).toBe(true)
})
