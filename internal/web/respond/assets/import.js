// Updates the progress of an import without reloading the page. Without this script the page reloads itself.
(() => {
  'use strict'
  const poll = async () => {
    const shown = document.querySelector('#import[data-working]')
    if (!shown) return
    try {
      const response = await fetch(location.href, { headers: { Accept: 'text/html' } })
      if (!response.ok) throw new Error(response.statusText)
      const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('#import')
      if (!fresh) return location.reload()
      if (!fresh.hasAttribute('data-working')) return shown.replaceWith(fresh)
      for (const part of ['progress', '[role=status]']) {
        const before = shown.querySelector(part), after = fresh.querySelector(part)
        if (!before || !after || before.getAttribute('aria-label') !== after.getAttribute('aria-label')) {
          shown.replaceWith(fresh)
          break
        }
        if (part === 'progress') { before.max = after.max; before.value = after.value } else before.textContent = after.textContent
      }
    } catch { /* temporarily unreachable: try again */ }
    setTimeout(poll, 1000)
  }
  setTimeout(poll, 500)
})()
