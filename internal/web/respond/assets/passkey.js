// Asks the device for a passkey, and sends what it answers with the form. Where the browser cannot do that, the form is not shown.
(() => {
  'use strict'
  const can = window.PublicKeyCredential?.parseRequestOptionsFromJSON && window.PublicKeyCredential.parseCreationOptionsFromJSON
  const forms = document.querySelectorAll('form[data-passkey]')
  if (!can || !forms.length) return
  document.querySelectorAll('[data-unless-passkey]').forEach(element => { element.hidden = true })
  let waiting = new AbortController()

  // What the device is to be asked: on the page already, or fetched now, because it is valid for minutes only.
  const options = async form => {
    if (form.dataset.options) return JSON.parse(form.dataset.options)
    const answer = await fetch(form.dataset.from, { method: 'POST', headers: { Accept: 'application/json' } })
    if (!answer.ok || answer.redirected) throw new Error('not asked')
    return answer.json()
  }

  const ask = async (form, more) => {
    const publicKey = await options(form)
    const signal = waiting.signal
    if (signal.aborted) return null
    if (form.dataset.passkey === 'create') return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey), signal })
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey), signal, ...more })
  }

  const send = (form, credential) => {
    form.elements.answer.value = JSON.stringify(credential.toJSON())
    if (form.elements.stay) form.elements.stay.value = document.getElementById('stay')?.checked ? 'yes' : ''
    form.submit()
  }

  const words = error => {
    if (error.name === 'InvalidStateError') return 'This device already has a passkey for you.'
    if (error.name === 'NotAllowedError') return 'Your device did not provide a passkey. Try again, or continue without one.'
    return 'That did not work. Reload this page, or continue without a passkey.'
  }

  for (const form of forms) {
    const button = form.querySelector('button')
    const said = form.querySelector('[data-said]')
    form.hidden = false
    form.addEventListener('submit', async event => {
      event.preventDefault()
      waiting.abort()
      waiting = new AbortController()
      said.hidden = true
      button.disabled = true
      try {
        send(form, await ask(form))
      } catch (error) {
        said.textContent = words(error)
        said.hidden = false
        button.disabled = false
      }
    })
  }

  // Where the browser can, it offers passkeys among what it knows for the field of the e-mail address, without being in the way.
  const suggesting = document.querySelector('form[data-suggest]')
  const suggest = async () => {
    if (!await PublicKeyCredential.isConditionalMediationAvailable?.()) return
    const credential = await ask(suggesting, { mediation: 'conditional' })
    if (credential) send(suggesting, credential)
  }
  if (suggesting) suggest().catch(() => {}) // nobody asked for it: whoever presses the button hears what is wrong
})()
