// Lets people sign on the screen. The drawing is sent with the form as a PNG in a data URL, unless the pad is empty.
// A form that comes back with questions or errors shows the drawing again.
(() => {
  'use strict'
  const form = document.querySelector('form[data-sign]')
  const pad = form?.querySelector('canvas')
  const ink = pad?.getContext('2d')
  if (!ink) return

  let signed = false
  let last = null
  const clear = () => {
    ink.clearRect(0, 0, pad.width, pad.height)
    signed = false
  }
  const at = event => {
    const shown = pad.getBoundingClientRect()
    return { x: (event.clientX - shown.left) * pad.width / shown.width, y: (event.clientY - shown.top) * pad.height / shown.height }
  }
  const draw = to => {
    ink.beginPath()
    ink.moveTo(last.x, last.y)
    ink.lineTo(to.x, to.y)
    ink.stroke()
    last = to
    signed = true
  }
  ink.lineWidth = 3
  ink.lineCap = ink.lineJoin = 'round'
  ink.strokeStyle = '#1d1b18'

  const sent = form.elements.signature.value
  if (sent.startsWith('data:image/png;base64,')) {
    const picture = new Image()
    picture.onload = () => { // the pad may have been cleared in the meantime
      if (form.elements.signature.value === sent) ink.drawImage(picture, 0, 0, pad.width, pad.height)
    }
    picture.src = sent
  }

  pad.addEventListener('pointerdown', event => {
    if (event.button !== 0) return
    event.preventDefault()
    pad.setPointerCapture(event.pointerId)
    last = at(event)
    draw({ x: last.x + .1, y: last.y }) // a dot
  })
  pad.addEventListener('pointermove', event => {
    if (!last) return
    for (const step of event.getCoalescedEvents?.() ?? []) draw(at(step))
    draw(at(event))
  })
  for (const end of ['pointerup', 'pointercancel']) pad.addEventListener(end, () => { last = null })
  form.querySelector('[data-clear]').addEventListener('click', () => {
    clear()
    form.elements.signature.value = '' // also removes a signature from an earlier step
  })

  form.addEventListener('submit', () => {
    if (signed) form.elements.signature.value = pad.toDataURL('image/png')
  })
})()
