import { readFile } from 'node:fs/promises'
import { request } from 'node:https'

type AddressCheck = { readonly works: boolean; readonly says: string }

const patienceMs = 10_000

/**
 * Opens the address as a phone would: its name, its certificate, and Signalbox behind it. From this machine, so a firewall
 * between them is not seen.
 */
export async function checkAddress(address: string, authority: string | null): Promise<AddressCheck> {
  const url = new URL('/healthz', address)
  const ca = authority === null ? undefined : await readFile(authority).catch(() => undefined)
  const { promise, resolve } = Promise.withResolvers<AddressCheck>()
  const asked = request(url, { ...(ca && { ca }), timeout: patienceMs }, (answer) => {
    let text = ''
    answer.setEncoding('utf8').on('data', (part: string) => {
      if (text.length < 10_000) text += part
    })
    answer.on('end', () => {
      const isOurs = answer.statusCode === 200 && /^\s*\{\s*"status"\s*:\s*"ok"/.test(text)
      resolve(
        isOurs
          ? { works: true, says: 'The address works: its certificate is valid, and Signalbox answers.' }
          : { works: false, says: `Something else answers there (${answer.statusCode ?? 'nothing'}).` },
      )
    })
    answer.on('error', () => resolve({ works: false, says: 'The connection broke.' }))
  })
  asked.on('timeout', () => asked.destroy(new Error('no answer in 10 seconds')))
  asked.on('error', (error: NodeJS.ErrnoException) => resolve({ works: false, says: whyNot(url, error) }))
  asked.end()
  return promise
}

function whyNot({ hostname, port }: URL, { code, message }: NodeJS.ErrnoException): string {
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The name ${hostname} leads nowhere.`
    case 'ECONNREFUSED':
      return `Nothing listens at ${hostname}, port ${port || '443'}.`
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'Its certificate is from an authority that this machine does not know. A phone has to trust it, or shows no notifications.'
    case 'CERT_HAS_EXPIRED':
      return 'Its certificate has expired.'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `Its certificate is for another name than ${hostname}.`
    default:
      return `It can't be opened: ${message}`
  }
}
