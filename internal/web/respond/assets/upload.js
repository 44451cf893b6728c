// The third part of staff.js: texts for scripts, sending, and fields for files. Fields react to events of the document,
// so that they also work if another script adds them. Without it, they are plain.
(() => {
  'use strict'
  const {lang} = document.documentElement
  const fileFields = (within = document) => within.querySelectorAll('[data-file] input')

  // The server puts the texts in the user's language into the data-texts attribute of an element. This returns a function
  // that returns the text with this name and fills in its values; n chooses the plural form.
  const textsOf = element => {
    const texts = JSON.parse(element?.dataset.texts || '{}')
    return (name, values = {}) => {
      let text = texts[name] ?? ''
      if (typeof text === 'object') text = text[new Intl.PluralRules(lang).select(values.n)] ?? text.other
      return text.replace(/\{(\w+)\}/g, (_, key) => typeof values[key] === 'number' ? values[key].toLocaleString(lang) : values[key])
    }
  }

  // ---- sending ----

  // Refused means that the server answered with an error. If it is final, sending the same again cannot succeed.
  class Refused extends Error {
    constructor(status, problem) {
      super(problem.detail || '')
      this.status = status
      this.problem = problem
      this.final = status >= 400 && status < 500 && ![401, 408, 429].includes(status)
    }
  }
  const post = (url, body, onProgress) => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('Accept', 'application/json')
    request.responseType = 'json'
    request.timeout = 5 * 60 * 1000
    if (onProgress) request.upload.onprogress = event => { if (event.lengthComputable) onProgress(event.loaded / event.total) }
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response)
      else reject(new Refused(request.status, request.response || {}))
    }
    request.onerror = request.ontimeout = () => reject(new TypeError('no connection'))
    request.send(body)
  })

  // ---- fields for files ----

  const sizeText = bytes => {
    const [unit, value] = bytes < 1e6 ? ['kilobyte', Math.ceil(bytes / 1e3)] : ['megabyte', bytes / 1e6]
    return value.toLocaleString(lang, {style: 'unit', unit, maximumFractionDigits: 1})
  }
  const namesOf = files => files.map(file => `${file.name} (${sizeText(file.size)})`).join(', ')
  const showFiles = field => {
    const box = field.closest('[data-file]')
    if (!box) return
    box.classList.toggle('filled', field.files.length > 0)
    box.querySelector('[role=status]').textContent = namesOf([...field.files])
  }
  addEventListener('pageshow', () => fileFields().forEach(showFiles)) // browsers restore the files of a form
  addEventListener('reset', event => setTimeout(() => fileFields(event.target).forEach(showFiles)))
  addEventListener('change', ({target}) => { if (target.matches?.('input[type=file]')) showFiles(target) })

  window.homeward = {textsOf, post, Refused, namesOf}
})()
