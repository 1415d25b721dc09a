import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ChatPlatform } from '../../../src/client/contract/chat-instances.ts'
import { useClient } from '../../api/backend.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Heading } from '../../ui/rows.tsx'

/** The description of the app, to paste into the platform. */
export function Manifest({ platform }: { platform: ChatPlatform }) {
  const client = useClient()
  const { name, title } = platform
  const { data } = useQuery({
    queryKey: ['platforms', name, 'manifest'],
    queryFn: () => client.getChatManifest({ params: { name } }),
  })
  const [copied, setCopied] = useState(false)
  if (!data) return null
  const copy = async () => {
    await navigator.clipboard.writeText(data.manifest)
    setCopied(true)
  }
  return (
    <Card className="flex flex-col gap-3 p-4">
      <Heading about={`Create an app on ${title} from this manifest, and install it. Then copy its tokens below.`}>
        App manifest
      </Heading>
      <details>
        <summary className="text-soft">Show the manifest</summary>
        <pre tabIndex={0} className="mt-2 max-h-64 overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm">
          {data.manifest}
        </pre>
      </details>
      <div>
        <Button icon={copied ? 'check' : 'copy'} onClick={() => void copy()}>
          {copied ? 'Copied' : 'Copy the manifest'}
        </Button>
      </div>
    </Card>
  )
}
