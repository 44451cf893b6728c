// Improves the guest pages, which also work without it. It prevents forms from being sent twice, hides a price that
// is not for the chosen country, checks whether a payment was confirmed, and tells the page around an embedded form
// how high the form is.
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
  const recheck = document.querySelector('[data-again]') // the server counts the checks and stops them
  if (recheck) setTimeout(() => location.replace(recheck.href), 4000)
  if (parent !== window && document.documentElement.classList.contains('embed')) {
    const sendHeight = () => parent.postMessage({homeward: 'height', height: Math.ceil(document.documentElement.getBoundingClientRect().height)}, '*')
    new ResizeObserver(sendHeight).observe(document.documentElement)
    sendHeight()
  }
})()
