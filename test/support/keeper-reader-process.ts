// Acts as a server: stores a child's output in a file, whose length is the offset to continue from.
import { appendFileSync, statSync } from 'node:fs'
import { connectKeeper } from '../../src/keeper-client/client.ts'
import { silentLogger } from '../../src/lib/log.ts'

const [dataDir = '', id = '', file = ''] = process.argv.slice(2)
const connected = await connectKeeper({ dataDir, log: silentLogger, start: false })
if (!connected.ok || !connected.value) throw new Error('no keeper is running')
const keeper = connected.value
const listening = await keeper.listen(id, statSync(file).size, {
  data(bytes, offset) {
    if (offset !== statSync(file).size) throw new Error(`byte ${offset} does not come next`)
    appendFileSync(file, bytes)
    keeper.ack(id, offset + bytes.length)
  },
  exit: () => process.exit(0),
})
if (!listening.ok) throw new Error(listening.fault.message)
