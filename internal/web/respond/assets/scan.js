// Scans tags with the camera. Codes can also be typed, scanned with a hand scanner or photographed. The script puts
// the code into the field and sends the form as if the user had typed it.
(() => {
  'use strict'
  const form = document.querySelector('form[data-scan]')
  const button = document.querySelector('[data-camera]')
  if (!form || !button || !navigator.mediaDevices?.getUserMedia) return
  const video = document.querySelector('.scanner video')
  const field = form.querySelector('input[name=code]')
  const label = button.textContent
  const pause = 400 // milliseconds between two frames
  const repeatAfter = 3000 // milliseconds before the same code is sent again
  const store = (key, value) => { try { sessionStorage.setItem(key, value) } catch { /* storage is not available */ } }
  const stored = key => { try { return sessionStorage.getItem(key) || '' } catch { return '' } }
  let stream = null

  const send = code => {
    if (stored('scan-code') === code && Date.now() - Number(stored('scan-time')) < repeatAfter) return false
    store('scan-code', code)
    store('scan-time', String(Date.now()))
    navigator.vibrate?.(60)
    field.value = code
    stop()
    form.requestSubmit()
    return true
  }

  // If the browser cannot read codes, the script sends small pictures to the server, which reads them.
  const canvas = document.createElement('canvas')
  const readOnServer = async () => {
    const scale = Math.min(1, 960 / Math.max(video.videoWidth, video.videoHeight))
    canvas.width = video.videoWidth * scale
    canvas.height = video.videoHeight * scale
    canvas.getContext('2d').drawImage(video, 0, 0, canvas.width, canvas.height)
    const frame = await new Promise(done => canvas.toBlob(done, 'image/jpeg', 0.8))
    const response = await fetch(form.dataset.scan, { method: 'POST', body: frame, headers: { 'Content-Type': 'image/jpeg' } })
    if (!response.ok) throw new Error(String(response.status))
    return response.status === 200 ? response.text() : ''
  }
  const reader = async () => {
    try {
      if ((await window.BarcodeDetector?.getSupportedFormats?.() || []).includes('qr_code')) {
        const detector = new window.BarcodeDetector({ formats: ['qr_code'] })
        return async () => (await detector.detect(video))[0]?.rawValue || ''
      }
    } catch { /* use the server instead */ }
    return readOnServer
  }

  const stop = () => {
    stream?.getTracks().forEach(track => track.stop())
    stream = null
    video.hidden = true
    button.textContent = label
  }
  const start = async () => {
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment', width: { ideal: 1280 } } })
    } catch {
      button.disabled = true
      button.textContent = button.dataset.sayBlocked
      store('scan-camera', '')
      return
    }
    video.srcObject = stream
    video.hidden = false
    button.textContent = button.dataset.sayStop
    await video.play()
    const read = await reader()
    let misses = 0
    while (stream && misses < 5) {
      try {
        const code = video.videoWidth ? await read() : ''
        misses = 0
        if (code && send(code)) return
      } catch { misses++ }
      await new Promise(done => setTimeout(done, pause))
    }
    if (stream) stop()
  }

  button.hidden = false
  button.addEventListener('click', () => {
    store('scan-camera', stream ? '' : 'on')
    if (stream) stop(); else start()
  })
  if (stored('scan-camera')) start() // the camera was on before the page changed: continue with the next item
  addEventListener('pagehide', stop)
})()
