/** Starts the interface in the page. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ClientProvider, createClient } from './api/client.tsx'
import './design/design.css'
import { handOutNonce } from './design/nonce.ts'
import { ToastProvider } from './design/toast.tsx'
import { TooltipProvider } from './design/tooltip.tsx'
import { Pages } from './shell/pages.tsx'

handOutNonce()
createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <ClientProvider client={createClient()}>
      <TooltipProvider>
        <ToastProvider>
          <Pages />
        </ToastProvider>
      </TooltipProvider>
    </ClientProvider>
  </StrictMode>,
)
