// Improves the form to file a request: its photos can be dropped, pasted, sorted and removed, and stay if the form is
// rejected. Without this script, the browser sends the form.
(() => {
  'use strict'
  const root = document.querySelector('form [data-photos]'), form = root?.closest('form')
  const {photosOf, post, showProblem, textsOf, Refused} = window.homeward ?? {}
  if (!form || !photosOf) return
  const picker = photosOf(root), button = form.querySelector('.actions button'), refused = document.getElementById('refused')

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
      showProblem(form, error instanceof Refused ? error.problem : {}, textsOf(root)('failed'), text => {
        refused.hidden = false
        refused.textContent = text
      })
    }
  })
})()
