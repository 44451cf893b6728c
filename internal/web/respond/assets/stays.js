// Looks up who stayed in a room without loading the page again, so that chosen photos stay. Without this script the
// button sends the form, and the page that answers has everything that was typed.
(() => {
  'use strict'
  const limit = 3000 // milliseconds, after which the form can be used without the guests

  document.addEventListener('click', async event => {
    const button = event.target.closest?.('button[data-stays]')
    if (!button) return
    event.preventDefault()
    const form = button.form
    const part = document.getElementById('stays')
    const fields = [...new FormData(form)].filter(([name, value]) => typeof value === 'string' && name !== 'stay')
    const body = new URLSearchParams([...fields, ['stays', 'look']])
    button.disabled = true
    button.setAttribute('aria-busy', 'true')
    try {
      const response = await fetch(form.getAttribute('action'), {
        method: 'POST', body, headers: {Accept: 'text/html', 'Homeward-Background': '1'}, signal: AbortSignal.timeout(limit),
      })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const fresh = page.getElementById('stays')
      if (!response.ok || !fresh) throw new Error('no guests')
      part.replaceWith(fresh)
      const actions = page.querySelector('form.ask .actions') // of the page about an item, whose button appears with the guests
      if (actions) form.querySelector('.actions')?.replaceWith(actions)
      const target = fresh.querySelector('input[type=radio], input[type=text], [role=status]')
      target?.focus()
    } catch {
      button.disabled = false
      button.removeAttribute('aria-busy')
      const line = part.querySelector('.error')
      line.textContent = line.dataset.failed
      line.hidden = false
    }
  })
})()
