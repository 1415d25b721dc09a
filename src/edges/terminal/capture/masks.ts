import { orHidden, setOf, type ByteSet } from './byte-set.ts'
import type { Word } from './triggers.ts'

/** What makes a run of characters a secret, besides its length. */
export type Looks = 'any' | 'digit'

/**
 * What follows a word that announces a secret. The word stays readable, so that people know what was masked.
 * - run: a number of characters of a set, right after it. `sure`: the word alone is enough if there is no time to wait.
 * - value: after `=` or `:`, as settings, JSON, YAML and queries write it.
 * - flag: a separate word, as on command lines.
 * - login: the password of a URL.
 * - key: the lines of a private key, until it ends.
 */
export type Body =
  | { readonly kind: 'run'; readonly set: ByteSet; readonly min: number; readonly looks: Looks; readonly sure: boolean }
  | { readonly kind: 'value' }
  | { readonly kind: 'flag' }
  | { readonly kind: 'login' }
  | { readonly kind: 'key' }

export type Mask = Word & { readonly body: Body }

const base64url = orHidden(setOf('A-Za-z0-9_-'))
const dotted = orHidden(setOf('A-Za-z0-9_.=-'))
const alphanumeric = orHidden(setOf('A-Za-z0-9'))
const upper = orHidden(setOf('A-Z0-9'))
const bearer = orHidden(setOf('A-Za-z0-9._~+/=-'))

const word = (text: string, alone: boolean, anyCase: boolean, body: Body): Mask => ({ text, alone, anyCase, body })

/** Tokens with a known prefix. */
const tokens = (beginnings: string, set: ByteSet, min: number, looks: Looks = 'any', sure = true): Mask[] =>
  beginnings.split(' ').map((text) => word(text, true, false, { kind: 'run', set, min, looks, sure }))

const headers = (beginnings: readonly string[], min: number, looks: Looks): Mask[] =>
  beginnings.map((text) => word(text, true, true, { kind: 'run', set: bearer, min, looks, sure: false }))

const values = (words: string): Mask[] => words.split(' ').map((text) => word(text, false, true, { kind: 'value' }))

const keys = (kinds: readonly string[]): Mask[] =>
  kinds.map((kind) => word(`-----BEGIN ${kind}-----`, false, false, { kind: 'key' }))

export const builtInMasks: readonly Mask[] = [
  // Amazon, Google, Azure DevOps, DigitalOcean
  ...tokens('AKIA ASIA ABIA ACCA', upper, 16),
  ...tokens('AIza', base64url, 30),
  ...tokens('ya29. GOCSPX-', dotted, 20),
  ...tokens('dop_v1_ doo_v1_ dor_v1_', alphanumeric, 32),
  // code hosting
  ...tokens('ghp_ gho_ ghu_ ghs_ ghr_ github_pat_', base64url, 20),
  ...tokens('glpat- gldt- glrt- glptt- glcbt- glsoat- glft- glimt- glagent-', base64url, 16),
  ...tokens('ATATT3 ATCTT3 BBDC-', dotted, 24),
  // packages
  ...tokens('npm_', alphanumeric, 30),
  ...tokens('pypi-AgE rubygems_ dckr_pat_', base64url, 24),
  // models
  ...tokens('sk-ant- sk-proj- sk-or- sk-svcacct- xai- gsk_ hf_', base64url, 16),
  ...tokens('sk-', alphanumeric, 20, 'digit', false),
  // chat, mail, payment
  ...tokens('xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-', base64url, 10),
  ...tokens('SG.', dotted, 30),
  ...tokens('sk_live_ sk_test_ rk_live_ rk_test_ whsec_', alphanumeric, 16),
  // vaults and networks
  ...tokens('hvs. hvb.', base64url, 20),
  ...tokens('tskey- AGE-SECRET-KEY-1 PMAK- lin_api_ shpat_ shpss_', base64url, 20),
  // JSON web tokens
  ...tokens('eyJ', dotted, 20, 'any', false),
  word('hooks.slack.com/services/', false, true, {
    kind: 'run',
    set: orHidden(setOf('A-Za-z0-9/_')),
    min: 12,
    looks: 'any',
    sure: true,
  }),
  ...headers(['bearer '], 16, 'digit'),
  ...headers(['authorization: basic ', 'authorization: token '], 6, 'any'),
  word('://', false, false, { kind: 'login' }),
  ...values('password passwd passphrase _pass _pwd ;pwd userpwd secret token _auth'),
  ...values('api_key api-key apikey access_key access-key accesskey account_key accountkey'),
  ...values('secret_key secret-key secretkey private_key private-key privatekey'),
  ...['--password', '--passwd', '--passphrase', '--token', '--secret', '--api-key', '--apikey'].map((text) =>
    word(text, false, true, { kind: 'flag' }),
  ),
  ...keys(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY', 'DSA PRIVATE KEY', 'OPENSSH PRIVATE KEY']),
  ...keys(['ENCRYPTED PRIVATE KEY', 'ANY PRIVATE KEY', 'PGP PRIVATE KEY BLOCK', 'SSH2 ENCRYPTED PRIVATE KEY']),
]
