/**
 * The page may only use style elements that carry the nonce the service gave it. Parts that make style elements while
 * they run (dialogs that lock scrolling, editors) must be handed it.
 */
export const styleNonce = (): string =>
  document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

declare global {
  var __webpack_nonce__: string | undefined
}

/** The name under which the scroll lock of dialogs looks for it. */
export function handOutNonce(): void {
  globalThis.__webpack_nonce__ = styleNonce()
}
