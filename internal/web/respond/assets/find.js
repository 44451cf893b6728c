// Improves the form to record a found item. It sends the photos one by one and shows the progress. An item that cannot
// be sent is saved on the device and sent later. Without this script the form sends everything in one request.
(() => {
  'use strict'
  const form = document.getElementById('find')
  const finds = window.homeward
  const {newOnce} = finds

  if (form && finds.send) begin()
  if ('serviceWorker' in navigator && document.body.classList.contains('staff')) navigator.serviceWorker.register('/sw.js').catch(() => {})

  function begin() {
    const say = finds.textsOf(form)
    const photos = finds.photosOf(form.querySelector('[data-photos]'))
    const progress = document.getElementById('progress')

    // The offline page is the same for everyone, so it uses the location and user that another page stored last.
    if (form.dataset.place) finds.saveContext({action: form.getAttribute('action'), name: form.dataset.place, as: form.dataset.name})
    else {
      const at = finds.savedContext()
      form.hidden = !at
      document.getElementById('can').hidden = !at
      document.getElementById('cannot').hidden = !!at
      if (at) { form.action = at.action; document.getElementById('where-at').textContent = say('as', {location: at.name, name: at.as}) }
      const now = new Date() // set the date now, because the form may be sent on another day
      form.elements.discoveryDate.defaultValue = new Date(now - now.getTimezoneOffset() * 60 * 1000).toISOString().slice(0, 10)
    }

    // A kept place is selected, so that typing replaces it.
    const where = form.elements.discoveryPlace
    where?.addEventListener('focus', () => { if (where.value === where.defaultValue) where.select() })

    // The first photo suggests values, and tells whether another item has it already. Nothing is stored.
    const facts = document.getElementById('photo-facts')
    let asked, asking, photo
    const showFacts = ({title, chips, copies}) => {
      const empty = (chips || []).filter(({field}) => form.elements[field] && !form.elements[field].value)
      const rows = empty.map(({field, value, text}) => {
        const chip = finds.make('button', {type: 'button', className: 'chip', textContent: text, ariaPressed: 'false'})
        Object.assign(chip.dataset, {fill: field, value})
        return finds.make('li', {}, chip)
      })
      const links = (copies || []).map(({href, text}) => finds.make('li', {}, finds.make('a', {href, textContent: text, target: '_blank'})))
      facts.replaceChildren(finds.make('ul', {className: 'chips', ariaLabel: title}, ...links, ...rows))
    }
    const askFacts = async () => {
      const [first] = photos.photos(), category = form.elements.category.value
      const about = first ? `${first.once} ${category} ${form.getAttribute('action')}` : ''
      if (about === asked) return
      asked = about
      asking?.abort()
      if (photo !== first?.once) facts.replaceChildren()
      photo = first?.once
      facts.classList.toggle('asked', Boolean(first)) // the space for the answer, so that nothing moves
      if (!first) return
      asking = new AbortController()
      const {signal} = asking, body = new FormData()
      body.append('category', category)
      body.append('photo', await finds.scaleDown(first.blob, 1000), 'photo.jpg')
      try {
        const response = await fetch(form.getAttribute('action').replace(/find$/, 'photo-facts'), {method: 'POST', body, headers: {Accept: 'application/json'}, signal})
        if (response.ok) showFacts(await response.json())
      } catch { /* without a connection, nothing is suggested */ }
    }
    if (facts) {
      form.querySelector('[data-photos]').addEventListener('photoschange', askFacts)
      for (const type of ['change', 'suggested']) form.elements.category?.addEventListener(type, askFacts)
    }

    // Another location has its own suggestions.
    form.elements.location?.addEventListener('change', async () => {
      const field = form.elements.location
      const action = `/at/${field.value}/find`
      form.setAttribute('action', action)
      finds.saveContext({action, name: field.selectedOptions[0].textContent, as: form.dataset.name})
      try {
        const response = await fetch(action, {headers: {'Homeward-Background': '1'}})
        if (!response.ok || response.redirected) return // the user was logged out, or the location is gone
        const other = new DOMParser().parseFromString(await response.text(), 'text/html')
        if (form.getAttribute('action') !== action) return // the user has chosen yet another one
        for (const part of form.querySelectorAll('datalist, #storagePlace-hint')) part.replaceChildren(...other.getElementById(part.id)?.childNodes || [])
      } catch { /* without a connection, the suggestions stay */ }
    })

    // A known model fills in its brand and colour.
    form.elements.model?.addEventListener('change', () => {
      const known = [...document.querySelectorAll('#models option')].find(o => o.value.toLowerCase() === form.elements.model.value.trim().toLowerCase())
      if (!known) return
      if (!form.elements.brand.value) form.elements.brand.value = known.dataset.brand
      if (!form.elements.color.value) form.elements.color.value = known.dataset.color
    })

    // Optional sections that the user has opened stay open.
    form.querySelectorAll('details[id]').forEach(part => {
      const name = `homeward.open.${part.id}`
      if (localStorage.getItem(name)) part.open = true
      part.addEventListener('toggle', () => part.open ? localStorage.setItem(name, '1') : localStorage.removeItem(name))
    })

    const bar = progress.querySelector('progress')
    const showStatus = text => { progress.hidden = false; bar.hidden = true; progress.querySelector('span').textContent = text; progress.scrollIntoView({block: 'center'}) }
    const showProblem = problem => finds.showProblem(form, problem, say('failed'), text => {
      showStatus(text)
      if (problem.href) progress.querySelector('span').append(' ', finds.make('a', {href: problem.href, textContent: say('open', {reference: problem.reference})}))
    })
    const showProgress = (done, all) => {
      progress.hidden = bar.hidden = false
      bar.max = all
      bar.value = done
      photos.showProgress(done)
      progress.querySelector('span').textContent = say('progress', {n: Math.min(all, Math.floor(done) + 1), all})
    }

    form.addEventListener('submit', async event => {
      event.preventDefault()
      event.stopImmediatePropagation()
      const buttons = form.querySelectorAll('.foot button')
      buttons.forEach(button => { button.disabled = true })
      await photos.ready()
      const once = form.elements.once.value || newOnce()
      const person = finds.person()
      const typed = [...new FormData(form)].filter(([name, value]) => typeof value === 'string' && name !== 'once' && name !== 'person')
      const find = {
        once, person, action: form.action, fields: [...typed, ['once', once], ['person', person]],
        description: form.elements.description.value.trim(), photos: photos.photos(), saved: null,
      }
      const next = event.submitter?.value === 'next'
      try {
        if (find.description) await finds.save(find) // in case the browser crashes
        const saved = await finds.send(find, showProgress)
        location.assign(next ? `${form.getAttribute('action')}?saved=${saved.id}` : saved.href)
      } catch (error) {
        buttons.forEach(button => { button.disabled = false })
        if (error instanceof finds.Refused && error.status === 401) { // the item stays on the device until the same user logs in
          showStatus(say('login'))
          return finds.showUnsent(true)
        }
        if (error instanceof finds.Refused && !find.saved) {
          await finds.remove(find.once)
          if (error.status === 409) form.elements.once.value = newOnce() // already saved; sending again creates another item
          return showProblem(error.problem)
        }
        if (error.final) { // the item is saved, but a photo was rejected
          showStatus(say('rejected', {reference: find.saved.reference, reason: error.message}))
          await finds.remove(find.once)
          setTimeout(() => location.assign(find.saved.href), 3000)
          return
        }
        showStatus(find.saved ? say('later', {reference: find.saved.reference}) : say('offline'))
        form.reset()
        photos.clear()
        form.elements.once.value = newOnce()
        finds.showUnsent()
      }
    })
  }
})()
