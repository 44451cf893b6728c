// Improves the form to file a request: its photos can be dropped, pasted, sorted and removed, and stay if the form is
// rejected. Without this script, the browser sends the form.
(() => {
  'use strict'
  const root = document.querySelector('form [data-photos]'), form = root?.closest('form')
  const {photosOf, post, textsOf, Refused} = window.homeward ?? {}
  if (!form || !photosOf) return
  const picker = photosOf(root), button = form.querySelector('.actions button'), refused = document.getElementById('refused')

  const showProblem = ({detail, errors = []}) => {
    form.querySelectorAll('.row.bad').forEach(row => { row.classList.remove('bad'); row.querySelector('.error')?.remove() })
    const others = [] // errors about fields that the form does not have
    let first
    for (const {field, message} of errors) {
      const element = form.elements[field]
      if (!element) { others.push(message); continue }
      const line = Object.assign(document.createElement('p'), {className: 'error', id: `${field}-error`, textContent: message})
      element.closest('.row').classList.add('bad')
      element.before(line)
      element.setAttribute('aria-invalid', 'true')
      element.setAttribute('aria-describedby', line.id)
      first ||= element
    }
    refused.hidden = false
    refused.textContent = [detail || textsOf(root)('failed'), ...others].join(' ')
    first?.focus()
  }

  form.addEventListener('submit', async event => {
    event.preventDefault()
    button.disabled = true
    await picker.ready()
    const body = new FormData(form)
    body.delete('photo')
    picker.photos().forEach(({blob}, n) => body.append('photo', blob, `${n + 1}.jpg`))
    try {
      const {href} = await post(form.action, body)
      location.assign(href)
    } catch (error) {
      button.disabled = false
      showProblem(error instanceof Refused ? error.problem : {})
    }
  })
})()
