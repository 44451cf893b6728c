// Asks the device for a passkey and sends the credential with the form. If the browser does not support passkeys, the
// form stays hidden.
(() => {
  'use strict'
  const supported = window.PublicKeyCredential?.parseRequestOptionsFromJSON && window.PublicKeyCredential.parseCreationOptionsFromJSON
  const forms = document.querySelectorAll('form[data-passkey]')
  if (!supported || !forms.length) return
  document.querySelectorAll('[data-unless-passkey]').forEach(element => { element.hidden = true })
  let pending = new AbortController()

  // The options for the device are in the page. If not, they are fetched only now, because they expire after a few
  // minutes.
  const options = async form => {
    if (form.dataset.options) return JSON.parse(form.dataset.options)
    const response = await fetch(form.dataset.from, { method: 'POST', headers: { Accept: 'application/json' } })
    if (!response.ok || response.redirected) throw new Error('no options')
    return response.json()
  }

  const requestCredential = async (form, more) => {
    const publicKey = await options(form)
    const signal = pending.signal
    if (signal.aborted) return null
    if (form.dataset.passkey === 'create') return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey), signal })
    return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey), signal, ...more })
  }

  const send = (form, credential) => {
    form.elements.answer.value = JSON.stringify(credential.toJSON())
    if (form.elements.stay) form.elements.stay.value = document.getElementById('stay')?.checked ? 'yes' : ''
    form.submit()
  }

  const errorText = (form, error) => {
    if (error.name === 'InvalidStateError') return form.dataset.sayTaken
    if (error.name === 'NotAllowedError') return form.dataset.sayDenied
    return form.dataset.sayFailed
  }

  for (const form of forms) {
    const button = form.querySelector('button')
    const message = form.querySelector('[data-message]')
    form.hidden = false
    form.addEventListener('submit', async event => {
      event.preventDefault()
      pending.abort()
      pending = new AbortController()
      message.hidden = true
      button.disabled = true
      try {
        send(form, await requestCredential(form))
      } catch (error) {
        message.textContent = errorText(form, error)
        message.hidden = false
        button.disabled = false
      }
    })
  }

  // If supported, the browser also suggests passkeys in the e-mail field.
  const suggesting = document.querySelector('form[data-suggest]')
  const suggest = async () => {
    if (!await PublicKeyCredential.isConditionalMediationAvailable?.()) return
    const credential = await requestCredential(suggesting, { mediation: 'conditional' })
    if (credential) send(suggesting, credential)
  }
  if (suggesting) suggest().catch(() => {}) // errors are only shown after the button was pressed
})()
