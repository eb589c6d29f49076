/** Short news in the corner. What a person must act on belongs on the page instead. */
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'

type Toast = { id: number; kind: 'good' | 'bad'; text: string }
type Say = (text: string, kind?: Toast['kind']) => void

const ToastContext = createContext<Say | null>(null)

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const say = useCallback<Say>((text, kind = 'good') => {
    setToasts((shown) => [...shown, { id: (shown.at(-1)?.id ?? 0) + 1, kind, text }])
  }, [])
  const remove = (id: number): void => setToasts((shown) => shown.filter((toast) => toast.id !== id))
  return (
    <ToastContext.Provider value={say}>
      <Radix.Provider duration={5000}>
        {children}
        {toasts.map(({ id, kind, text }) => (
          <Radix.Root
            key={id}
            onOpenChange={(open) => !open && remove(id)}
            className="flex items-start gap-2.5 rounded-base border border-line bg-raised py-2 pr-2 pl-3 shadow-high animate-appear"
          >
            {kind === 'good' ? (
              <CircleCheck size={16} className="mt-0.5 shrink-0 text-good" aria-hidden />
            ) : (
              <CircleAlert size={16} className="mt-0.5 shrink-0 text-danger" aria-hidden />
            )}
            <Radix.Description className="min-w-0 grow break-words">{text}</Radix.Description>
            <Radix.Close aria-label="Dismiss" className="rounded-small p-0.5 text-faint hover:bg-hover">
              <X size={14} aria-hidden />
            </Radix.Close>
          </Radix.Root>
        ))}
        <Radix.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(360px,calc(100vw-32px))] flex-col gap-2 outline-none" />
      </Radix.Provider>
    </ToastContext.Provider>
  )
}

/** `const say = useToast(); say('Saved.')` */
export function useToast(): Say {
  const say = useContext(ToastContext)
  if (say === null) throw new Error('useToast needs a ToastProvider above it')
  return say
}
