import { describe, expect, it } from 'vitest'
import { captureMasks, createCapture } from './capture.ts'

const masks = captureMasks()
const bytes = (text: string) => Buffer.from(text)

/** Each `«…»` is to be masked, and nothing else. */
const lines = [
  '$ mysql -uroot -p«hunter2» shop',
  '$ mysqldump --all -p«hunter2» > dump',
  '$ curl -u bob:«hunter2» https://example.org',
  '$ curl -sS --user bob:«hun:ter2» https://example.org',
  "$ curl -u 'bob:«hunter 2»' https://example.org",
  '$ sshpass -p «hunter2» ssh -p 2222 bob@far',
  '$ sshpass -p«hunter2» ssh -p 2222 bob@far',
  '$ redis-cli -h far -a «hunter2» ping',
  '$ openssl enc -aes-256-cbc -k «hunter2» -in a',
  '$ openssl rsa -in k -passin pass:«hunter2» -out p',
  '$ htpasswd -b /etc/users bob «hunter2»',
  '$ htpasswd -nbB bob «hunter2»',
  '$ /usr/bin/mysql -p«hunter2»; mysql -p; ssh -p 22 far',
  '$ sudo mysql -p«hunter2»',
  '$ mkdir -p curly/path && ssh -p 22 far',
  '$ docker login -u bob -p «hunter2» far',
  '$ docker run -p 80:80 image',
  '$ ldapsearch -D cn=a -w «hunter2» -b x',
]
const given = (line: string) => line.replaceAll(/[«»]/g, '')
const wanted = (line: string) => line.replaceAll(/«([^»]*)»/g, (_, secret: string) => '*'.repeat(secret.length))

describe('passwords in command lines', () => {
  it.each(lines)('%s, printed', (line) => {
    const capture = createCapture({ masks })
    expect(capture.push(bytes(`before\r\n${given(line)}\r\n`)) + capture.flush()).toBe(`before\r\n${wanted(line)}\r\n`)
  })

  it.each(lines)('%s, key by key', (line) => {
    const capture = createCapture({ masks })
    const shown = Array.from(given(line), (key) => capture.push(bytes(key)) + capture.flush())
    expect(shown.join('')).toBe(wanted(line))
  })

  it('masks a line that is corrected, recalled, or wraps', () => {
    const capture = createCapture({ masks })
    const print = (text: string) => capture.push(bytes(text)) + capture.flush()
    expect(print('$ mysql -phux') + print('\b\x1b[K') + print('nter2')).toBe('$ mysql -p***\b\x1b[K*****')
    expect(print('\r\x1b[K$ ls') + print('\r\x1b[K$ mysql -phunter2')).toBe('\r\x1b[K$ ls\r\x1b[K$ mysql -p*******')
    expect(print('\r\n$ mysql -phun \rter2 shop')).toBe('\r\n$ mysql -p*** \r**** shop')
  })

  it('continues where a recording ended', () => {
    const capture = createCapture({ masks, before: 'x\r\n$ mysql -p***' })
    expect(capture.push(bytes('ter2 shop')) + capture.flush()).toBe('**** shop')
  })
})
