import { expect, it } from 'vitest'
import { aptPackage, imageReference, npmPackage } from './package-names.ts'

it('a Debian package is one package: no option, no removal, no list, no file', () => {
  for (const name of ['jq', 'g++', 'libstdc++6', 'python3.11', 'git=1:2.39.5-0+deb12u2', 'vim=2:9.0~rc1-1'])
    expect([name, aptPackage.test(name)]).toEqual([name, true])
  for (const name of ['bash-', '-y', '--allow-unauthenticated', 'jq vim', 'jq;id', './jq.deb', '/tmp/jq.deb'])
    expect([name, aptPackage.test(name)]).toEqual([name, false])
  for (const name of ['jq/testing', 'lib*', 'jq=$(id)', 'jq\nvim', 'jq=', '~n', '?essential', 'task^', 'JQ', 'jq='])
    expect([name, aptPackage.test(name)]).toEqual([name, false])
})

it('an npm package is one name of the registry: no option, no file, no address, nothing for a shell', () => {
  for (const name of ['typescript', 'typescript@5.9.2', '@types/node@^24.0.0', 'lodash.merge', 'next@canary', 'a@~1.2'])
    expect([name, npmPackage.test(name)]).toEqual([name, true])
  for (const name of ['-g', '--unsafe-perm', '--prefix', '-', '~root', '~', '.', '..', 'left-pad@>out', 'a@<in'])
    expect([name, npmPackage.test(name)]).toEqual([name, false])
  for (const name of [
    'a@npm:evil',
    'a@file',
    'owner/repo',
    'a@file:..',
    'evil.tgz',
    '@x/evil.tar.gz',
    'https://x',
    'a b',
  ])
    expect([name, npmPackage.test(name)]).toEqual([name, name === 'a@file'])
  for (const name of ['a@$(id)', 'a;id', 'a|id', 'a\n', "a'", 'A'])
    expect([name, npmPackage.test(name)]).toEqual([name, false])
})

it('an image is one word: a recipe that begins with it gets no line of its own', () => {
  for (const name of ['node:24-bookworm', 'localhost/a_b:1', 'r.example:5000/x/y@sha256:0a', 'NODE'])
    expect([name, imageReference.test(name)]).toEqual([name, true])
  for (const name of ['', 'debian\nRUN id', 'debian AS x', '-x', '../x', 'a\n', '${X}', 'a;b'])
    expect([name, imageReference.test(name)]).toEqual([name, false])
})
