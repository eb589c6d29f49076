// Runs before anything is painted, so that a dark page never flashes white.
;(() => {
  const kept = localStorage.getItem('millrace.theme')
  const isDark = kept === 'dark' || (kept !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
})()
