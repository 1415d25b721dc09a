// A program of its own, because the system may show a dialog and keep the call waiting: then it is killed.
// Reads one request from standard input; the secret is never an argument.
import { text } from 'node:stream/consumers'
import * as z from 'zod'
import { parseJson } from '../../lib/parse-json.ts'

const Request = z.object({ service: z.string(), account: z.string(), set: z.string().nullable() })

const request = parseJson(await text(process.stdin), Request)
if (!request.ok) throw new Error(request.fault.message)
const { service, account, set } = request.value
const { Entry } = await import('@napi-rs/keyring')
// The kernel's keyring, which it would use otherwise, forgets everything at a restart.
const entry = new Entry(service, account, { linux: { store: 'secret-service' } })
if (set !== null) entry.setPassword(set)
process.stdout.write(JSON.stringify({ value: entry.getPassword() }))
