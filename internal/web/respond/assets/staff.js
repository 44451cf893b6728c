// Every page of the dashboard works without this. It keeps a hasty finger from sending a form twice, copies and prints what is to be kept, closes a
// menu that was left, gives keys to what is done often, and fetches a page when somebody is about to open it.
(() => {
  'use strict'
  let sent = []
  addEventListener('submit', event => {
    if (event.defaultPrevented) return
    if (event.target.matches('[action="/logout"]')) forget()
    const buttons = event.target.querySelectorAll('button:not([data-again])')
    setTimeout(() => { // what is disabled at once is not sent along
      sent = [...buttons]
      sent.forEach(button => { button.disabled = true })
    })
  })
  addEventListener('pageshow', () => { // back again: it may be sent again
    sent.forEach(button => { button.disabled = false })
    sent = []
  })

  // Who records finds on this device, and where, is kept for when there is no connection: until they log out, or somebody else is there. Where
  // finds wait to be sent, the script is loaded that sends them.
  const {person, kept} = document.body.dataset
  const forget = () => { try { localStorage.removeItem('homeward.at') } catch { /* a browser that keeps nothing */ } }
  try {
    const at = JSON.parse(localStorage.getItem('homeward.at') || 'null')
    if (person && at?.person !== person) forget()
    if (kept && localStorage.getItem('homeward.kept') && !document.querySelector(`script[src="${kept}"]`)) {
      document.head.append(Object.assign(document.createElement('script'), {src: kept}))
    }
  } catch { /* a browser that keeps nothing */ }

  addEventListener('click', async event => {
    const menu = event.target.closest('details.menu')
    document.querySelectorAll('details.menu[open]').forEach(open => { if (open !== menu) open.open = false })
    if (event.target.closest('[data-print]')) print()
    const copy = event.target.closest('[data-copy]')
    if (!copy) return
    event.preventDefault()
    const what = document.getElementById(copy.dataset.copy)
    let said = 'Copied'
    try {
      await navigator.clipboard.writeText(what.textContent.trim())
    } catch { // which browsers keep from pages without TLS
      getSelection().selectAllChildren(what)
      if (!document.execCommand('copy')) said = 'Selected'
    }
    copy.dataset.before ??= copy.textContent
    copy.textContent = said
    setTimeout(() => { copy.textContent = copy.dataset.before }, 2000)
  })

  // A new location most likely keeps the time of whoever adds it.
  const zone = document.querySelector('form[data-zone]')?.elements.timeZone
  if (zone && !zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''

  // Of a row of tabs that is wider than the screen, the one that is open is in sight.
  for (const tab of document.querySelectorAll('.tabs [aria-current]')) {
    const row = tab.parentElement, at = tab.getBoundingClientRect(), from = row.getBoundingClientRect()
    if (at.right > from.right || at.left < from.left) row.scrollLeft += at.left - from.left - (from.width - at.width) / 2
  }

  const typing = element => element.closest('input, textarea, select, [contenteditable]')
  addEventListener('keydown', event => {
    if (event.key === 'Escape') document.querySelectorAll('details.menu[open]').forEach(open => { open.open = false; open.querySelector('summary').focus() })
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return
    const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)
    if (!target) return
    event.preventDefault()
    if (target.matches('input, textarea, select')) { target.focus(); target.select?.() } else target.click()
  })

  const fetched = new Set()
  const prefetch = event => {
    const link = event.target.closest?.('a[href^="/"]:not([download]):not([data-now])')
    if (!link || fetched.size > 30 || fetched.has(link.href) || navigator.connection?.saveData) return
    fetched.add(link.href)
    const hint = document.createElement('link')
    hint.rel = 'prefetch'
    hint.href = link.href
    document.head.append(hint)
  }
  addEventListener('pointerover', prefetch)
  addEventListener('focusin', prefetch)
})()
