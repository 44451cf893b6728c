// Improves the lists of items, requests and storage, and the pages about an item and a request, which also work without
// it. It searches while the user types, adds keyboard navigation, and counts and selects the items on a page.
(() => {
  'use strict'
  const $ = (selector, within = document) => within.querySelector(selector)
  const all = (selector, within = document) => [...within.querySelectorAll(selector)]

  // ---- clicks ----
  addEventListener('click', event => {
    const opener = event.target.closest('[data-dialog]')
    if (opener) {
      event.preventDefault()
      document.getElementById(opener.dataset.dialog).showModal()
      return
    }
    if (event.target.matches?.('dialog[open]')) event.target.close() // a click on the backdrop closes the dialog
    const tick = event.target.closest('[data-tick]')
    if (tick) {
      event.preventDefault()
      const boxes = all('input[name=item]')
      const on = boxes.some(box => !box.checked)
      boxes.forEach(box => { box.checked = on })
      countSelected()
    }
  })
  // countSelected shows how many items are selected.
  const countSelected = () => {
    const shown = $('[data-selected]')
    if (!shown) return
    const n = all('input[name=item]:checked').length
    const { count } = JSON.parse(shown.dataset.selected)
    const lang = document.documentElement.lang
    const form = typeof count === 'object' ? count[new Intl.PluralRules(lang).select(n)] ?? count.other : count
    const text = form.replace('{n}', n.toLocaleString(lang))
    const status = $('[data-selected-status]')
    if (n || !status) shown.textContent = n ? text : ''
    if (status) status.textContent = n ? text : ''
  }
  countSelected()
  addEventListener('change', event => {
    if (event.target.matches('input[name=item]')) countSelected()
  })

  // ---- the next and the previous item of the list ----
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || $('dialog[open]')) return
    if (event.target.closest('input, textarea, select')) return
    const to = event.key === 'j' ? $('[data-queue=next]') : event.key === 'k' ? $('[data-queue=previous]') : null
    if (to) {
      event.preventDefault()
      to.click()
    }
  })

  // ---- moving through a list with the keyboard ----
  const form = $('form[data-instant]'), term = form && $('[name=q]', form)
  const rows = () => all('[data-line]')
  const link = row => $('a', row)
  const currentRow = () => document.activeElement.closest?.('[data-line]')
  const go = by => {
    const list = rows()
    if (!list.length) return
    const at = list.indexOf(currentRow())
    const next = list[at < 0 ? 0 : Math.min(list.length - 1, Math.max(0, at + by))]
    link(next).focus()
    next.scrollIntoView({ block: 'nearest' })
  }
  addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || $('dialog[open]')) return
    const box = event.target.matches('input[name=item]')
    if (term && event.target === term) {
      if (event.key === 'ArrowDown') { event.preventDefault(); go(0) }
      if (event.key === 'Escape') { event.preventDefault(); term.blur() }
      return
    }
    if (event.target.closest('input, textarea, select') && !box) return
    const row = currentRow()
    if (event.key === 'j' || event.key === 'ArrowDown' && row) { event.preventDefault(); go(1) }
    if (event.key === 'k' || event.key === 'ArrowUp' && row) { event.preventDefault(); go(-1) }
    const tick = row && $('input[name=item]', row)
    if (event.key === 'x' && tick) {
      event.preventDefault()
      tick.checked = !tick.checked
      countSelected()
    }
    if (event.key === 'Enter' && box && row) { event.preventDefault(); link(row).click() }
  })

  if (!form) return

  // ---- search while typing ----
  let waiting, current, pushed = 0
  const address = () => {
    const query = new URLSearchParams()
    for (const [name, value] of new FormData(form)) if (value) query.append(name, value)
    const text = query.toString()
    return form.getAttribute('action') + (text ? '?' + text : '')
  }
  const show = async to => {
    current?.abort()
    const controller = current = new AbortController()
    let text
    try {
      const response = await fetch(to, { signal: controller.signal, headers: { Accept: 'text/html' } })
      if (response.redirected || !response.ok && response.status !== 422) return void (location.href = to)
      text = await response.text()
    } catch (error) {
      if (error.name !== 'AbortError') form.submit() // the browser then shows the error
      return
    }
    if (controller !== current) return
    const page = new DOMParser().parseFromString(text, 'text/html')
    for (const part of all('[data-part]')) {
      const fresh = page.getElementById(part.id)
      if (fresh) part.replaceChildren(...fresh.childNodes)
    }
    countSelected()
    document.title = page.title
  }
  const search = () => {
    const to = address()
    if (to === location.pathname + location.search) return
    // One search adds only one step to the browser's history, no matter how many letters were typed.
    const step = Date.now() - pushed > 2000 ? 'pushState' : 'replaceState'
    pushed = Date.now()
    history[step](null, '', to)
    show(to)
  }
  form.addEventListener('input', event => {
    clearTimeout(waiting)
    // One or two letters would match too many items.
    if (event.target === term && term.value.trim() && !/\S{3}|[^\x00-\x7f]/.test(term.value)) return
    waiting = setTimeout(search, 150)
  })
  form.addEventListener('submit', event => {
    event.preventDefault()
    clearTimeout(waiting)
    search()
  })
  addEventListener('popstate', () => {
    if (location.hash) return
    const query = new URLSearchParams(location.search)
    for (const field of form.elements) {
      if (field.type === 'checkbox') field.checked = query.getAll(field.name).includes(field.value)
      else if (field.name) field.value = query.get(field.name) ?? ''
    }
    show(location.pathname + location.search)
  })
})()
