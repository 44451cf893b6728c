// Improves every page of the dashboard. It prevents forms from being sent twice, makes the buttons to copy and print
// work, closes open menus, adds keyboard shortcuts, and prefetches pages that are about to be opened. Pages also work
// without it.
(() => {
  'use strict'
  let sent = []
  const waiting = Object.assign(document.createElement('p'), {className: 'quiet'}) // says what takes so long
  waiting.setAttribute('role', 'status')
  addEventListener('submit', event => {
    if (event.defaultPrevented) return
    if (event.target.matches('[action="/logout"]')) forget()
    const buttons = event.target.querySelectorAll('button:not([data-again])')
    setTimeout(() => { // the value of a button that is disabled immediately would not be sent
      sent = [...buttons]
      sent.forEach(button => { button.disabled = true })
    })
    if (event.submitter?.dataset.wait) {
      event.target.append(waiting)
      waiting.textContent = event.submitter.dataset.wait
    }
  })
  addEventListener('pageshow', () => { // after going back the form may be sent again
    sent.forEach(button => { button.disabled = false })
    sent = []
    waiting.remove()
  })

  // The user and location are stored for the offline page until the user logs out or another user logs in. If there
  // are unsent items, this loads the script that sends them.
  const {person, offline} = document.body.dataset
  const forget = () => { try { localStorage.removeItem('homeward.at') } catch { /* storage is not available */ } }
  try {
    const at = JSON.parse(localStorage.getItem('homeward.at') || 'null')
    if (person && at?.person !== person) forget()
    if (offline && localStorage.getItem('homeward.kept') && !document.querySelector(`script[src="${offline}"]`)) {
      document.head.append(Object.assign(document.createElement('script'), {src: offline}))
    }
  } catch { /* storage is not available */ }

  const spoken = document.createElement('p') // screen readers announce its text
  spoken.className = 'unseen'
  spoken.setAttribute('role', 'status')
  document.body.append(spoken)

  // In the calendar, a pick-up that is dropped on a free slot or an open day opens the form to change its time. While
  // it is dragged, the page marks where it can be dropped.
  const week = () => document.querySelector('.week')
  const dropTarget = event => event.dataTransfer.types.includes('text/x-pickup') && event.target.closest?.('[data-drop]')
  addEventListener('dragstart', event => {
    const card = event.target.closest?.('[data-move]')
    if (!card) return
    event.dataTransfer.setData('text/x-pickup', card.dataset.move)
    setTimeout(() => week()?.classList.add('moving')) // a change of the page now would end the drag
  })
  addEventListener('dragend', () => week()?.classList.remove('moving'))
  addEventListener('dragover', event => { if (dropTarget(event)) event.preventDefault() })
  addEventListener('drop', event => {
    const target = dropTarget(event)
    if (!target) return
    event.preventDefault()
    const {time} = target.dataset, {date} = target.closest('[data-date]').dataset
    location.href = `${event.dataTransfer.getData('text/x-pickup')}&pickupDate=${date}` + (time ? `&pickupTime=${time}` : '')
  })

  // Inserts a template where the cursor is in a message. The server fills it in. If that fails, the form is sent, which
  // does the same without this script.
  addEventListener('click', async event => {
    const button = event.target.closest('[data-insert]')
    if (!button || button.dataset.failed) return
    event.preventDefault()
    const text = button.form.elements.text
    const body = new URLSearchParams({insert: '1', template: button.form.elements.template.value})
    try {
      const response = await fetch(button.form.action, {method: 'POST', body, headers: {Accept: 'text/html'}})
      if (!response.ok || response.redirected) throw new Error(response.status)
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const before = text.value.slice(0, text.selectionStart)
      const gap = before && !before.endsWith('\n') ? '\n\n' : ''
      text.setRangeText(gap + page.querySelector('#thread textarea').value, text.selectionStart, text.selectionEnd, 'end')
      text.dispatchEvent(new Event('input', {bubbles: true}))
      text.focus()
    } catch {
      button.dataset.failed = '1'
      button.click()
    }
  })

  addEventListener('click', async event => {
    const menu = event.target.closest('details.menu')
    document.querySelectorAll('details.menu[open]').forEach(open => { if (open !== menu) open.open = false })
    if (event.target.closest('[data-print]')) print()
    const copy = event.target.closest('[data-copy]')
    if (!copy) return
    event.preventDefault()
    const source = document.getElementById(copy.dataset.copy)
    let label = document.body.dataset.sayCopied
    try {
      await navigator.clipboard.writeText(source.getAttribute('href') ?? source.textContent.trim())
    } catch { // the clipboard is not available without TLS
      getSelection().selectAllChildren(source)
      if (!document.execCommand('copy')) label = document.body.dataset.saySelected
    }
    copy.dataset.before ??= copy.textContent
    copy.textContent = spoken.textContent = label
    setTimeout(() => {
      copy.textContent = copy.dataset.before
      spoken.textContent = ''
    }, 2000)
  })

  // Folded groups of tasks stay folded. The service reads the cookie, so that nothing moves when the page is shown.
  addEventListener('toggle', ({target}) => {
    const kind = target.dataset?.fold
    if (!kind) return
    const folded = new Set(document.cookie.match(/(?:^|; )folded=([^;]+)/)?.[1].split('.'))
    if (folded.has(kind) !== target.open) return
    if (target.open) folded.delete(kind)
    else folded.add(kind)
    const secure = location.protocol === 'https:' ? '; secure' : ''
    document.cookie = `folded=${[...folded].join('.')}; path=/; max-age=31536000; samesite=lax${secure}`
  }, true)
  addEventListener('click', event => { // a link to a folded group opens it
    const link = event.target.closest('.strip a')
    if (link) document.getElementById(link.hash.slice(1))?.closest('details:not([open])')?.querySelector('summary').click()
  })

  // The browser's time zone is the default for a new location.
  const zone = document.querySelector('form[data-zone]')?.elements.timeZone
  if (zone && !zone.value) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? ''

  // The browser's time zone is also the default for notices.
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const guess = document.querySelector('[data-guess] select')
  if (guess && [...guess.options].some(option => option.value === ownZone)) guess.value = ownZone

  // Push messages: the button asks the browser for a subscription, and sends it in a form.
  const push = document.querySelector('[data-push-key]')
  if (push && 'serviceWorker' in navigator && 'PushManager' in window) {
    push.hidden = false
    push.addEventListener('click', async () => {
      try {
        await navigator.serviceWorker.register('/sw.js')
        const {pushManager} = await navigator.serviceWorker.ready
        const subscription = await pushManager.subscribe({userVisibleOnly: true, applicationServerKey: push.dataset.pushKey})
        const {endpoint, keys} = subscription.toJSON()
        Object.entries({endpoint, ...keys}).forEach(([name, value]) => { push.form.elements[name].value = value })
        push.form.submit()
      } catch { document.getElementById('push-state').textContent = push.dataset.sayFailed }
    })
  }

  // Scroll the current tab into view.
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

// Rows of a form that users add and remove, and an example that follows what they type. Without it, the buttons send the
// form, and the service responds with the changed page.
;(() => {
  'use strict'
  addEventListener('click', event => {
    const button = event.target.closest('[data-row-add], [data-row-remove], [data-row-up], [data-row-down]')
    if (!button) return
    event.preventDefault()
    const group = button.closest('[data-rows]'), list = group.querySelector('[data-row-list]')
    const add = group.querySelector('[data-row-add]'), row = button.closest('[data-row]')
    const next = row?.nextElementSibling ?? row?.previousElementSibling
    const moves = button.matches('[data-row-up], [data-row-down]')
    if (button.matches('[data-row-up]')) row.previousElementSibling?.before(row)
    else if (moves) row.nextElementSibling?.after(row)
    else if (row) row.remove()
    else list.append(group.querySelector('template').content.cloneNode(true))
    const rows = list.querySelectorAll('[data-row]')
    rows.forEach((row, n) => {
      row.querySelectorAll('input, select').forEach(input => { input.id = input.id.replace(/\d+$/, n + 1) })
      const legend = row.querySelector('legend')
      if (legend) legend.textContent = legend.textContent.replace(/\d+/, n + 1)
    })
    add.disabled = rows.length >= group.dataset.rows
    if (moves) button.focus()
    else ((row ? next : list.lastElementChild)?.querySelector('input, select') ?? add).focus()
    list.dispatchEvent(new Event('input', {bubbles: true}))
  })

  const form = document.querySelector('form[data-example]')
  const result = form?.querySelector('[data-example-result]')
  let waiting, current
  const update = async () => {
    const controller = current = new AbortController()
    const body = new URLSearchParams(new FormData(form))
    body.set('example', 'yes')
    try {
      const response = await fetch(form.action, {method: 'POST', body, signal: controller.signal})
      if (!response.ok || response.redirected) return
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const text = page.querySelector('[data-example-result]')?.textContent
      if (controller === current && text) result.textContent = text
    } catch { /* the last result stays until the next change */ }
  }
  form?.addEventListener('input', () => {
    clearTimeout(waiting)
    current?.abort()
    waiting = setTimeout(update, 250)
  })
})()

// The search, as a dialog on every page, with results while the user types. Without it, the link in the header opens
// the search page.
;(() => {
  'use strict'
  const dialog = document.querySelector('dialog[data-search]')
  if (!dialog) return
  const field = dialog.querySelector('[name=q]')
  const results = dialog.querySelector('[data-found]'), status = dialog.querySelector('[role=status]')
  const hint = [...results.childNodes]
  let waiting, current

  const open = () => {
    if (!dialog.open) dialog.showModal() // the browser returns the focus when the dialog closes
    field.focus()
    field.select()
  }
  const show = (text, found = []) => {
    status.textContent = text
    results.replaceChildren(...found)
    results.scrollTop = 0
  }
  const search = async () => {
    const q = field.value.trim()
    if (!q) return show('', hint)
    const controller = current = new AbortController()
    try {
      const query = new URLSearchParams({q, top: 1})
      const response = await fetch('/search?' + query, {signal: controller.signal, headers: {Accept: 'text/html'}})
      if (response.redirected) return void (location.href = '/search?' + new URLSearchParams({q})) // logged out
      if (!response.ok) throw new Error(response.status)
      const text = await response.text()
      if (controller !== current) return
      const found = new DOMParser().parseFromString(text, 'text/html').querySelector('[data-results]')
      const count = found.querySelector('[data-count]')
      count.remove()
      show(count.textContent, found.children)
    } catch {
      if (controller === current) show(dialog.dataset.sayFailed)
    }
  }
  field.addEventListener('input', () => {
    clearTimeout(waiting)
    current?.abort()
    current = null // an answer to older text is ignored
    waiting = setTimeout(search, 150)
  })

  addEventListener('click', event => {
    if (event.target === dialog) return dialog.close() // a click on the backdrop
    if (!event.target.closest('[data-search-open]') || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
  addEventListener('keydown', event => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
      event.preventDefault()
      open()
    }
  }, true)
  dialog.addEventListener('keydown', event => {
    event.stopPropagation() // the shortcuts of the page
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault() // a search field would lose its text
      dialog.close()
    }
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key]
    if (step && !event.isComposing) {
      event.preventDefault()
      const stops = [field, ...results.querySelectorAll('a')]
      stops[Math.min(Math.max(stops.indexOf(document.activeElement) + step, 0), stops.length - 1)].focus()
    } else if (event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey &&
      results.contains(document.activeElement)) {
      field.focus() // typing continues in the field
    }
  })
})()
