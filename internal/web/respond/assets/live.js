// The second part of staff.js keeps the page up to date. A stream tells when something on the page has changed. The page is then read again, and
// the differences are applied. Whatever the user types, selects or opens stays as it is. Pages also work without it.
(() => {
  'use strict'
  const text = document.body.dataset
  if (!text.live || !window.EventSource) return
  const main = document.querySelector('main[data-live]')
  const edits = 'input:not([type=hidden], [type=submit], [type=button]), textarea, select'
  const all = (selector, within = main) => [...within.querySelectorAll(selector)]

  // ---- what the user is doing ----
  const toggled = new WeakSet() // the <details> that the user opened or closed
  addEventListener('click', event => {
    const summary = event.target.closest?.('summary')
    if (summary) toggled.add(summary.parentElement)
  }, true)
  const isChoice = field => field.type === 'checkbox' || field.type === 'radio'
  const isChanged = field => {
    if (isChoice(field)) return field.checked !== field.defaultChecked
    if (field.type === 'file') return field.files.length > 0
    if (field.options) {
      const initial = [...field.options].findLastIndex(option => option.defaultSelected)
      return field.selectedIndex !== Math.max(0, initial)
    }
    return field.value !== field.defaultValue
  }
  const isTyping = field => field === document.activeElement && !isChoice(field)
  const isEdited = form => all(edits, form).some(field => field.name !== 'item' && isChanged(field) || isTyping(field))
  const isSearch = form => form.matches('[role=search], .search')
  // isKept reports whether an element must not be removed, because the user uses something in it.
  const isKept = node => node.nodeType === 1 && (node.contains(document.activeElement) || [node, ...all('*', node)].some(e =>
    e.matches('form') && isEdited(e) || e.matches('dialog[open]') || e.matches('details[open]:not([data-fold])') && toggled.has(e) ||
    e.matches('input[name=item]') && isChanged(e)))

  // content returns the content of a form without what differs each time it is read and without the script's changes.
  const content = form => {
    const copy = form.cloneNode(true)
    all('input[type=hidden]', copy).forEach(field => field.remove())
    for (const e of all('*', copy)) for (const name of ['hidden', 'disabled', 'open']) e.removeAttribute(name)
    return copy.innerHTML.replace(/\s+/g, ' ')
  }
  const received = new WeakMap() // the content of each form as the service sent it
  if (main) all('form').forEach(form => received.set(form, content(form)))

  // ---- applying differences ----
  let changed, withheld
  const ownAttributes = { DETAILS: ['open'], DIALOG: ['open'] }
  const isOwn = (e, name) => name === 'style' || name === 'hidden' && 'scripted' in e.dataset ||
    ownAttributes[e.nodeName]?.includes(name) && (e.nodeName === 'DIALOG' || toggled.has(e))
  const setAttributes = (e, fresh) => {
    for (const { name } of [...e.attributes]) if (!fresh.hasAttribute(name) && !isOwn(e, name)) e.removeAttribute(name)
    for (const { name, value } of fresh.attributes) if (e.getAttribute(name) !== value && !isOwn(e, name)) e.setAttribute(name, value)
  }
  // key identifies a node among its siblings. Nodes with the same key are told apart by their position.
  const key = node => {
    if (node.nodeType !== 1) return ''
    if (node.id) return '#' + node.id
    const labelled = node.getAttribute('aria-labelledby')
    if (labelled) return '@' + labelled
    if (node.matches('form')) return 'form ' + node.getAttribute('action') + ' ' + (node.querySelector('[name=group]')?.value ?? '')
    if (node.matches('input, select, textarea, button')) return node.nodeName + ' ' + node.name + ' ' + (node.getAttribute('value') ?? '')
    const link = node.matches('li, tr, figure') && node.querySelector('a[href]')
    return node.nodeName + ' ' + (link ? link.getAttribute('href') : node.matches('.flash') ? 'flash' : node.classList[0] ?? '')
  }
  const isSame = (x, y) => x.nodeType === y.nodeType && x.nodeName === y.nodeName
  const update = (node, fresh) => {
    if (node.nodeType !== 1) {
      if (node.data === fresh.data) return
      changed ||= /\S/.test(node.data + fresh.data)
      node.data = fresh.data
      return
    }
    if (node.isEqualNode(fresh) || node.matches('[data-own]')) return // or its content belongs to a script
    if (node.matches('form')) {
      if (isSearch(node)) return
      const to = content(fresh)
      if (isEdited(node)) {
        withheld ||= to !== received.get(node)
        return
      }
      received.set(node, to)
    }
    setAttributes(node, fresh)
    if (!node.matches('input')) updateChildren(node, fresh)
    // A field that was once edited no longer follows its default.
    if (node.matches('textarea')) node.value = node.defaultValue
    if (node.matches('option')) node.selected = node.defaultSelected
  }
  const updateChildren = (parent, fresh) => {
    const old = new Set(parent.childNodes), staying = new Set(), wanted = new Set([...fresh.childNodes].map(key))
    const remove = node => {
      old.delete(node)
      if (node.nodeType === 1 && node.matches('.flash')) return void staying.add(node)
      if (isKept(node)) {
        withheld = true
        return void staying.add(node)
      }
      changed ||= node.nodeType === 1
      node.remove()
    }
    old.forEach(node => { if (!wanted.has(key(node))) remove(node) })
    const byKey = Map.groupBy(old, key)
    const move = parent.moveBefore ?? parent.insertBefore // the first keeps the focus
    let next = parent.firstChild
    for (const node of fresh.childNodes) {
      while (staying.has(next)) next = next.nextSibling
      const same = byKey.get(key(node))?.find(candidate => old.has(candidate) && isSame(candidate, node))
      if (!same) {
        const added = parent.insertBefore(document.importNode(node, true), next)
        if (added.nodeType !== 1) continue
        changed = true
        all('form', added).forEach(form => received.set(form, content(form)))
        continue
      }
      old.delete(same)
      if (same === next) next = next.nextSibling
      else move.call(parent, same, next)
      update(same, node)
    }
    old.forEach(remove)
  }

  // anchor returns the element that must not move on the screen: the one that is used, or the first one in view.
  const anchor = () => {
    const used = main.contains(document.activeElement) && document.activeElement || all(':hover').at(-1)
    if (used) return used
    return scrollY > 0 && all('li, tr, section, h2, p').find(e => e.getBoundingClientRect().top >= 0)
  }
  const apply = html => {
    const page = new DOMParser().parseFromString(html, 'text/html'), fresh = page.querySelector('main')
    if (!fresh || !page.body.dataset.live) return
    const steady = anchor(), focused = document.activeElement, before = steady && steady.getBoundingClientRect().top
    changed = withheld = false
    updateChildren(main, fresh)
    if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true })
    const shift = steady && steady.isConnected ? steady.getBoundingClientRect().top - before : 0
    if (shift) scrollBy({ top: shift, behavior: 'instant' })
    document.title = page.title
    if (changed) say(text.liveUpdated)
    if (withheld) showNote()
    else note?.remove()
  }

  const status = Object.assign(document.createElement('p'), { className: 'unseen' })
  status.setAttribute('role', 'status')
  document.body.append(status)
  let said = 0
  const say = words => {
    if (Date.now() - said < 10_000) return // screen readers would talk all the time
    said = Date.now()
    status.textContent = words
    setTimeout(() => { status.textContent = '' }, 5000)
  }

  let note
  const showNote = () => {
    if (note?.isConnected) return
    note = document.createElement('p')
    note.className = 'live-note'
    note.setAttribute('role', 'status')
    const link = Object.assign(document.createElement('a'), { href: location.href, textContent: text.liveShow })
    if (all('form').some(isEdited)) Object.assign(link, { target: '_blank', rel: 'noopener' })
    document.body.append(note)
    note.append(text.liveChanged + ' ', link)
  }

  // ---- reading the page again ----
  let timer = 0, reading = false, again = false, stale = false, busyUntil = 0
  addEventListener('submit', () => { busyUntil = Date.now() + 3000 }) // the next page follows
  // A click follows when the button or the finger goes up.
  let pressedUntil = 0
  addEventListener('pointerdown', () => { pressedUntil = Date.now() + 10_000 })
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => { pressedUntil = Date.now() + 300 })
  const isBusy = () => Date.now() < Math.max(busyUntil, pressedUntil)
  // A hidden page is read when somebody sees it: reading marks the messages on it as seen.
  const plan = delay => {
    if (main && !timer) timer = setTimeout(read, delay)
  }
  const read = async () => {
    timer = 0
    if (document.hidden) return void (stale = true)
    stale = false
    if (reading) return void (again = true)
    if (isBusy()) return plan(500)
    reading = true
    again = false
    const at = location.href
    try {
      const response = await fetch(at, { headers: { 'Homeward-Background': '1', Accept: 'text/html' }, redirect: 'manual' })
      const html = response.ok ? await response.text() : ''
      if (location.href !== at || isBusy()) again = true
      else if (response.ok) apply(html)
      else if (response.status === 404) showNote()
      else if (response.status >= 429) plan(5000)
    } catch { // no connection
      plan(5000)
    }
    reading = false
    if (again) plan(200)
  }
  // Pages also change because time passes.
  const often = 600_000 + Math.random() * 60_000
  setInterval(() => { if (!document.hidden) plan(0) }, often)

  // ---- the stream ----
  const stored = name => { try { return localStorage.getItem(name) } catch { return null } }
  const notifies = () => window.Notification?.permission === 'granted' && stored('homeward.notify') === 'on'
  const url = new URL(text.live, location.href)
  let stream, failures = 0, reopening = 0
  const close = () => {
    stream?.close()
    stream = undefined
    clearTimeout(reopening)
  }
  const open = () => {
    close()
    stream = new EventSource(url)
    stream.onopen = () => { failures = 0 }
    stream.onerror = () => { // the browser itself tries again, unless the service refused
      if (stream?.readyState !== EventSource.CLOSED) return
      reopen(Math.min(300_000, 5000 * 2 ** failures++) * (0.5 + Math.random()))
    }
    stream.onmessage = event => {
      url.searchParams.set('since', event.lastEventId)
      const news = JSON.parse(event.data)
      for (const [name, count] of Object.entries(news.counts ?? {})) {
        const badge = document.querySelector(`[data-count="${name}"]`), words = document.getElementById('count-' + name)
        if (badge && badge.textContent !== count.short) badge.textContent = count.short
        if (words && words.textContent !== count.text) words.textContent = count.text
      }
      if (news.changed) plan(news.delay ?? 0)
      if (news.report) notify(text.liveReport)
      if (news.choice) notify(text.liveChoice)
      if (news.access) {
        plan(0)
        reopen(3000)
      }
    }
  }
  const reopen = delay => {
    close()
    reopening = setTimeout(() => { if (!document.hidden || keepsStream) open() }, delay)
  }
  const notify = title => {
    if (!document.hidden || !notifies()) return
    const shown = new Notification(title, { tag: title })
    shown.onclick = () => { window.focus(); shown.close() }
  }
  // Hidden pages have no stream, because browsers open only six connections to a host. If notifications are turned on,
  // one of the hidden pages keeps it.
  let release = () => {}, keepsStream = false
  const follow = () => {
    release()
    if (!document.hidden) {
      if (stale) plan(0)
      return void open()
    }
    close()
    if (!notifies() || !navigator.locks) return
    const waiting = new AbortController()
    release = () => waiting.abort()
    navigator.locks.request('homeward.notify', { signal: waiting.signal }, () => new Promise(done => {
      keepsStream = true
      release = () => { keepsStream = false; done() }
      open()
    })).catch(() => {}) // the page is visible again
  }
  addEventListener('visibilitychange', follow)
  addEventListener('pagehide', () => { release(); close() })
  addEventListener('pageshow', event => { if (event.persisted) follow() })
  follow()

  // ---- the switch on the profile page ----
  const section = document.querySelector('[data-live-notify]')
  if (!section || !window.Notification) return
  const show = () => {
    const state = Notification.permission === 'denied' ? 'blocked' : notifies() ? 'on' : 'off'
    all('[data-notify]', section).forEach(part => { part.hidden = part.dataset.notify !== state })
    section.hidden = false
  }
  section.addEventListener('click', async event => {
    if (!event.target.closest('button')) return
    const on = !notifies()
    if (on) await Notification.requestPermission()
    try { localStorage.setItem('homeward.notify', on ? 'on' : 'off') } catch { /* storage is not available */ }
    show()
  })
  show()
})()
