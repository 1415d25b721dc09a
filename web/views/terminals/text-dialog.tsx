import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Failed, Loading } from '../../ui/states.tsx'

/** The current screen as text, for copying and screen readers. */
export function TextDialog({ id, close }: { id: string; close: () => void }) {
  const client = useClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['screen', id],
    queryFn: () => client.terminalScreen({ params: { id }, query: { format: 'text' } }),
    staleTime: 0,
    gcTime: 0,
  })
  return (
    <Dialog open close={close} title="Screen as text">
      {error ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data ? (
        <pre tabIndex={0} className="max-h-[60dvh] overflow-auto rounded-lg bg-sunken p-3 font-mono text-sm">
          {safeText(data.screen).trimEnd()}
        </pre>
      ) : (
        <Loading />
      )}
      <DialogActions>
        <Button icon="refresh" onClick={() => void refetch()}>
          Refresh
        </Button>
        <Button tone="main" onClick={close}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  )
}
