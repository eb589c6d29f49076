import { onlineManager } from '@tanstack/react-query'
import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'

/** The browser has no network; what is shown may be old. */
export function OfflineNotice() {
  const isOnline = useSyncExternalStore(
    (listen) => onlineManager.subscribe(listen),
    () => onlineManager.isOnline(),
  )
  if (isOnline) return null
  return (
    <p role="status" className="flex items-center gap-2 bg-warn-soft px-4 py-1.5 text-small text-warn wide:px-6">
      <WifiOff size={14} aria-hidden />
      You are offline. What you see may be out of date; it refreshes when the network is back.
    </p>
  )
}
