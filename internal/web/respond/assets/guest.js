// Improves the guest pages, which also work without it. It prevents forms from being sent twice, hides a price that
// is not for the chosen country, adds the visitor's own time to the times of a location, checks whether a payment was
// confirmed, says that the messages of a location were seen, and tells the page around an embedded form how high the form is.
(() => {
  'use strict'
  let sent = []
  addEventListener('submit', event => {
    if (event.defaultPrevented) return
    const buttons = event.target.querySelectorAll('button')
    setTimeout(() => { // the value of a button that is disabled immediately would not be sent
      sent = [...buttons]
      sent.forEach(button => { button.disabled = true })
    })
  })
  const price = document.querySelector('[data-for]')
  const updatePrice = () => {
    if (price) price.classList.toggle('stale', document.getElementById('country').value !== price.dataset.for)
  }
  addEventListener('change', updatePrice)
  addEventListener('pageshow', () => { // after going back: the form may be sent again, and the browser may have restored its values
    sent.forEach(button => { button.disabled = false })
    sent = []
    updatePrice()
  })
  // All times are those at the location, and so is what the form sends. If the visitor's clock differs, its time is added.
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone?.replaceAll('_', ' ') ?? ''
  const fill = (text, time) => text.replace('{time}', time).replace('{zone}', zone)
  for (const element of document.querySelectorAll('[data-at]')) {
    const at = new Date(element.dataset.at), button = element.closest('button')
    const here = button?.value ?? element.dataset.here
    const own = new Intl.DateTimeFormat('sv', {dateStyle: 'short', timeStyle: 'short'}).format(at) // as here: 2026-11-20 10:30
    if (own === here) continue
    const day = own.slice(0, 10) === here.slice(0, 10) ? {} : {weekday: 'short'}
    const date = button ? day : {weekday: 'long', day: 'numeric', month: 'long', year: 'numeric'}
    const time = new Intl.DateTimeFormat(document.documentElement.lang, {...date, hour: '2-digit', minute: '2-digit', hourCycle: 'h23'}).format(at)
    const text = fill(element.closest('[data-own-time]').dataset.ownTime, time)
    element.textContent = button ? time : text
    element.hidden = false
    if (button) {
      button.ariaLabel += ` ${time}` // the name contains what is shown
      button.setAttribute('aria-description', text)
    }
    const note = document.querySelector('[data-own-zone]')
    if (note) note.textContent = fill(note.dataset.ownZone, '')
  }
  // Opening the page says nothing, because mail servers and programs do so too.
  const messages = document.querySelector('[data-unseen]')
  const see = () => {
    if (!messages || document.visibilityState !== 'visible') return
    document.removeEventListener('visibilitychange', see)
    const newest = messages.dataset.newest
    fetch(messages.dataset.unseen, {method: 'POST', body: new URLSearchParams({newest}), keepalive: true}).catch(() => {})
  }
  document.addEventListener('visibilitychange', see)
  see()
  const recheck = document.querySelector('[data-again]') // the server counts the checks and stops them
  if (recheck) setTimeout(() => location.replace(recheck.href), 4000)
  if (parent !== window && document.documentElement.classList.contains('embed')) {
    const sendHeight = () => parent.postMessage({homeward: 'height', height: Math.ceil(document.documentElement.getBoundingClientRect().height)}, '*')
    new ResizeObserver(sendHeight).observe(document.documentElement)
    sendHeight()
  }
})()
